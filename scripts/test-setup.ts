/** What every process of tests begins with: the values of property tests, and errors that are told whole. */
import { inspect } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import fc from 'fast-check';

// Property tests draw the same values in every run, so that a change is judged by what it changed. `FC_SEED=random`
// looks further afield, and `FC_SEED={number}` repeats what that found. A list is as long as its test says: by itself
// the library draws ten parts at most.
const seed = process.env.FC_SEED ?? '20261121';
fc.configureGlobal({
  defaultSizeToMaxWhenMaxSpecified: true,
  ...(seed !== 'random' && { seed: Number(seed) }),
});

// The runner notes to which test each promise belongs, and asks V8 when it is gone, which costs more than many tests.
// Without that, an error that no test waits for fails its file instead of a test, and is told here.
const hooks = process.getBuiltinModule('node:async_hooks');
const { createHook } = hooks;
hooks.createHook = (options) => createHook({ ...options, trackPromises: false });
if (isMainThread) {
  process.on('unhandledRejection', (reason) => {
    throw reason;
  });
  process.on('uncaughtExceptionMonitor', (error) => console.error(error));
}

// Programs that a test starts speak English, whatever its machine speaks.
delete process.env.LC_ALL;
process.env.LC_MESSAGES = 'C';

// Where a test failed and what it used fails at its end, too, the runner tells of neither.
Error.prepareStackTrace = (error, trace) => {
  const stack = [Error.prototype.toString.call(error), ...trace].join('\n    at ');
  if (!(error instanceof SuppressedError)) return stack;
  return [stack, inspect(error.suppressed), inspect(error.error)].join('\n');
};
