/** Where the programs of the threads are: TypeScript when the sources run, else where the build puts them. */

/** It inspects files. */
export const INSPECT_THREAD = threadProgram('inspect-thread');
/** It compares texts with XSDs. */
export const SCHEMA_THREAD = threadProgram('schema-thread');

function threadProgram(name: string): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL(`../service/${name}.ts`, import.meta.url)
    : new URL(`../cli/${name}.js`, import.meta.url);
}
