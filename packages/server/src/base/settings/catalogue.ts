/** The catalogue, its snapshot in memory and the search of files. */
import { integer, text, URL_PATTERN } from './kinds.ts';

export const CATALOGUE_SETTINGS = {
  CATALOGUE_POLL_MS: integer({
    minimum: 50,
    maximum: 600_000,
    default: 1_000,
    description: 'How often a server looks whether another process has changed the catalogue, milliseconds.',
  }),
  CATALOGUE_QUIET_MS: integer({
    minimum: 0,
    maximum: 600_000,
    default: 2_000,
    description:
      'Milliseconds without a change after which a server shows a burst of changes; a single change is shown at once.',
  }),
  CATALOGUE_GATHER_MS: integer({
    minimum: 0,
    maximum: 3_600_000,
    default: 30_000,
    description:
      'Milliseconds after which a server shows a change at the latest, even while further changes follow.',
  }),
  CATALOGUE_SWITCH_MS: integer({
    minimum: 0,
    maximum: 60_000,
    default: 1_500,
    description:
      'Milliseconds after a change at which all servers on one PostgreSQL show it together, by the clock of the ' +
      'database. They prepare it meanwhile, so it should be twice what that takes. The same on all servers; 0: ' +
      'each shows it when it has it. SQLite needs none.',
  }),
  RETIRED_GRACE_S: integer({
    minimum: 0,
    maximum: 31_536_000,
    default: 3_600,
    description:
      'Seconds for which the assets of a replaced revision still answer. More than ASSET_MAX_AGE_S: a tileset that ' +
      'somebody keeps must not outlive its tiles.',
  }),
  ASSET_MAX_AGE_S: integer({
    minimum: 0,
    maximum: 31_536_000,
    default: 3_000,
    description:
      'Seconds for which browsers and caches keep files of packages that may name other files, such as tilesets and ' +
      'GML. Tiles and images name none: they are kept for a year, as their URLs have the id of the content.',
  }),
  FILE_LIST_CACHE_MB: integer({
    minimum: 0,
    maximum: 65_536,
    default: 32,
    description:
      'Compressed answers of the file search that a server keeps in memory, MB; the list of a municipality takes ' +
      'some 50 kB.',
  }),
  MAX_BOUNDS: integer({
    minimum: 1,
    maximum: 100_000,
    default: 1_000,
    description: 'How many mesh codes, spatial IDs or municipality codes one request may give.',
  }),
  GEOCODER_URL: text({
    pattern: `^$|${URL_PATTERN}`,
    default: '',
    description:
      'Outside geocoder for `g:` conditions that the gazetteer does not know (Nominatim-style or the GSI address ' +
      'search); empty means none.',
  }),
  GEOCODER_TIMEOUT_MS: integer({
    minimum: 100,
    maximum: 60_000,
    default: 5_000,
    description: 'Milliseconds after which the outside geocoder counts as unreachable.',
  }),
  GEOCODER_AT_ONCE: integer({
    minimum: 1,
    maximum: 1_000,
    default: 4,
    description: 'Most requests to the outside geocoder at the same time; further callers get 503.',
  }),
  GEOCODER_RATE: integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 60,
    description:
      'Most requests to the outside geocoder in a minute, for all callers together; 0 means any number. Answers are ' +
      'kept for an hour.',
  }),
  ATTRIBUTION: text({
    default: '',
    description:
      'Attribution text in TileJSON documents; empty means the name of the municipality and the licence. It is also ' +
      'the publisher of the catalogue in DCAT; empty means the host.',
  }),
};
