/** What tests of other packages need of @citymodel/sample; not published. */

// Inner parts that tests of other packages look at.
export { writeBenchmarkGml } from '../benchmark-gml.ts';
export { CODE_LISTS, codeListXml } from '../code-lists.ts';
