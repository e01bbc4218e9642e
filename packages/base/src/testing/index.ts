/** What tests of other packages need of @citymodel/base; not published. */

// Inner parts that tests of other packages look at.
export { clockError, forgetDatabaseTime } from '../shared-clock.ts';
// Helpers.
export { anyText } from './any-text.ts';
export { evenly } from './evenly.ts';
export { runReadmeExamples, serveRanges } from './readme-examples.ts';
export { ROUNDS } from './rounds.ts';
export { until } from './until.ts';
