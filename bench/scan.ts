/**
 * How fast one pass over a GML is: the scanner with everything (index, boxes, footprints, references, names)
 * beside a SAX parser that only counts elements, on the same bytes in the same run.
 *
 *   node bench/scan.ts [megabytes=200] [path of a GML …]
 *
 * Without a path the text is made here: dense block models with the attributes of real ones. With paths, the
 * members of each file are repeated up to the size. Rates are megabytes (10^6) of text per second of wall
 * clock; `cpu` is the same per second of processor time, which says more on a busy machine.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { SaxesParser } from 'saxes';
import { GmlScanner } from '../src/citygml/scan/scanner.ts';
import { block, cityModel, member } from '../src/citygml/testing/gml-text.ts';
import { peakOf } from './support/processes.ts';

const CHUNK = 65_536;
const RUNS = 3;

interface Repeated {
  name: string;
  head: Buffer;
  body: Buffer;
  tail: Buffer;
}

/** 500 invented buildings; the arithmetic is seeded by their number. */
function invented(): Repeated {
  let members = '';
  for (let i = 0; i < 500; i++) {
    const random = (n: number) => ((Math.imul(i + 1, 0x9e3779b1 + n) >>> 0) / 2 ** 32) * 1e-3;
    const codes = ['class', 'usage', 'roofType']
      .map(
        (name) => `<bldg:${name} codeSpace="../../codelists/Building_${name}.xml">${3000 + i}</bldg:${name}>`,
      )
      .join('\n      ');
    members +=
      member(`<bldg:Building gml:id="bldg_${i.toString(16).padStart(8, '0')}-5984-4b81-8516-2ca24e272c3e">
      ${codes}
      <bldg:measuredHeight uom="m">${(i % 40) + 0.5}</bldg:measuredHeight>
      <bldg:lod1Solid>${block(35.5 + random(1), 139.7 + random(2), 1e-4 + random(3) / 10, random(4) * 1e3, 9 + (i % 40))}</bldg:lod1Solid>
      <uro:buildingIDAttribute><uro:BuildingIDAttribute><uro:buildingID>99101-bldg-${i}</uro:buildingID>
      <uro:city codeSpace="../../codelists/Common_localPublicAuthorities.xml">99101</uro:city></uro:BuildingIDAttribute></uro:buildingIDAttribute>
    </bldg:Building>`);
  }
  return split('invented', Buffer.from(cityModel(members)));
}

function split(name: string, text: Buffer): Repeated {
  const first = text.indexOf('<core:cityObjectMember');
  const last = text.lastIndexOf('</core:cityObjectMember>') + '</core:cityObjectMember>'.length;
  if (first < 0) throw new Error(`${name} has no core:cityObjectMember`);
  return { name, head: text.subarray(0, first), body: text.subarray(first, last), tail: text.subarray(last) };
}

function* chunks({ head, body, tail }: Repeated, size: number): Generator<Buffer> {
  yield head;
  for (let sent = 0; sent < size; sent += body.length) {
    for (let at = 0; at < body.length; at += CHUNK) yield body.subarray(at, at + CHUNK);
  }
  yield tail;
}

function scan(text: Repeated, size: number): string {
  const scanner = new GmlScanner({ member: text.name, onIssue: () => {} });
  for (const chunk of chunks(text, size)) scanner.push(chunk);
  const summary = scanner.end();
  return `${summary.features} features, ${Math.round(summary.featureIndex.length / summary.features)} B/feature`;
}

function sax(text: Repeated, size: number): string {
  let elements = 0;
  const parser = new SaxesParser();
  parser.on('opentag', () => {
    elements++;
  });
  const decoder = new TextDecoder();
  for (const chunk of chunks(text, size)) parser.write(decoder.decode(chunk, { stream: true }));
  parser.close();
  return `${elements} elements`;
}

const megabytes = Number(process.argv[2] ?? 200);
const paths = process.argv.slice(3);
const texts =
  paths.length === 0 ? [invented()] : paths.map((path) => split(basename(path), readFileSync(path)));
console.log('text | pass | MB/s | cpu MB/s | peak MB | found');
for (const text of texts) {
  for (const [name, pass, size] of [
    ['scanner', scan, megabytes * 1e6],
    ['saxes', sax, (megabytes * 1e6) / 4],
  ] as const) {
    let best = 0;
    let bestCpu = 0;
    let found = '';
    for (let run = 0; run < RUNS; run++) {
      const started = performance.now();
      const cpu = process.cpuUsage();
      found = pass(text, size);
      const { user, system } = process.cpuUsage(cpu);
      best = Math.max(best, size / 1e3 / (performance.now() - started));
      bestCpu = Math.max(bestCpu, size / (user + system));
    }
    const peak = peakOf(process.pid)?.toFixed(0) ?? '';
    console.log([text.name, name, best.toFixed(0), bestCpu.toFixed(0), peak, found].join(' | '));
  }
}
