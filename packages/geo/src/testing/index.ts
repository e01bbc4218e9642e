/** What tests of other packages need of @citymodel/geo; not published. */

// Inner parts that tests of other packages look at.
export { ecefToGeodetic, type Matrix4, transformPoint } from '../ecef.ts';
// Helpers.
export { eastNorthUp, hullPoints, volumeContains } from './volumes.ts';
