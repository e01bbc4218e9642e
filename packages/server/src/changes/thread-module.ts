/** Where the program of the thread is: TypeScript when the sources run, else where the build puts it. */
export const CHANGES_THREAD = import.meta.url.endsWith('.ts')
  ? new URL('../service/changes-thread.ts', import.meta.url)
  : new URL('../cli/changes-thread.js', import.meta.url);
