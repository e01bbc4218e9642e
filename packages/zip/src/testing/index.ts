/** What tests of other packages need of @citymodel/zip; not published. */

// Inner parts that tests of other packages look at.
export { planZip } from '../write/zip-layout.ts';
// Helpers.
export { featureText } from './features.ts';
export { MemorySink } from './memory-sink.ts';
export { BEFORE, seekableFile } from './seekable-file.ts';
export { strictZip } from './strict-zip.ts';
