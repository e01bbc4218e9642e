// Loaded into a program by NODE_OPTIONS=--import: its clock jumps by up to 90 s to and fro, every five seconds, and by
// what the file FAULT_CLOCK says (ms) within a second of its change.
import { readFileSync } from 'node:fs';

const RealDate = Date;
const start = RealDate.now();
let offset = 0;
setInterval(() => {
  try {
    offset = Number(readFileSync(process.env.FAULT_CLOCK, 'utf8'));
  } catch {
    offset = 0;
  }
}, 500).unref();

function now() {
  const real = RealDate.now();
  const step = Math.floor((real - start) / 5_000);
  return real + ((step * 7_919) % 181) * 1_000 - 90_000 + offset;
}

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(now());
    else super(...parts);
  }
  static now = now;
};
