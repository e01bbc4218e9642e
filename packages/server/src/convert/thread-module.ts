/**
 * Where the program of the threads is: TypeScript when the sources run; where the build puts it with its libraries when
 * that runs.
 */
export const CONVERT_THREAD = import.meta.url.endsWith('.ts')
  ? new URL('../service/convert-thread.ts', import.meta.url)
  : new URL('../cli/convert-thread.js', import.meta.url);
