#!/usr/bin/env node
// The first thing that runs: old syntax on purpose, so that an old Node.js can still say what to do.
var major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    'citymodel needs Node.js 24 or later; this is ' +
      process.version +
      '.\nThe project brings the right one along: use "npx citymodel …" or "npm run …" inside its directory after "npm ci",' +
      '\nor install Node.js 24 on the system.',
  );
  process.exit(1);
}
// Libraries check less then; what they check, the tests have checked.
process.env.NODE_ENV = process.env.NODE_ENV || 'production';
// biome-ignore lint/complexity/useArrowFunction: an old Node.js must be able to read this file
import('../dist/cli/main.js').catch(function (error) {
  if (error && error.code === 'ERR_MODULE_NOT_FOUND' && /dist.cli.main/.test(error.message)) {
    console.error('citymodel is not built yet: run "npm run build" first.');
  } else {
    console.error(error);
  }
  process.exit(1);
});
