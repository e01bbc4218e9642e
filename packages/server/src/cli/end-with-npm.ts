/**
 * npm starts programs by way of a shell, and passes SIGTERM to the shell alone. Most shells then end and leave the
 * program behind, which would go on without anybody who knows of it.
 */

/**
 * Scripts of package.json that start the program in the foreground, and `npx`. A script of somebody else may leave it
 * in the background.
 */
const OWN_SCRIPTS = new Set(['demo', 'start', 'npx']);
const LOOK_MS = 200;

/** Sends SIGTERM to this process when the shell that npm started it in is gone. Does nothing without npm. */
export function endWithNpm(env: NodeJS.ProcessEnv): void {
  if (!OWN_SCRIPTS.has(env.npm_lifecycle_event ?? '')) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
}
