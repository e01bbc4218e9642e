// Loaded into a program by NODE_OPTIONS=--import: its clock jumps by up to 90 s to and fro, every five seconds.
const now = Date.now;
const start = now();
Date.now = () => {
  const real = now();
  const step = Math.floor((real - start) / 5_000);
  return real + ((step * 7_919) % 181) * 1_000 - 90_000;
};
