/** Where the program of the threads is: TypeScript when the sources run, else where the build puts it. */
export const INSPECT_THREAD = import.meta.url.endsWith('.ts')
  ? new URL('../service/inspect-thread.ts', import.meta.url)
  : new URL('../cli/inspect-thread.js', import.meta.url);
