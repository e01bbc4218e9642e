/** Answers about features, and what is kept for them. */
import { integer } from './kinds.ts';

export const FEATURES_SETTINGS = {
  FEATURE_MAX_IDS: integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 20_000,
    description: 'How many gml:ids one request for attributes may give.',
  }),
  FEATURE_GEOMETRY_MB: integer({
    minimum: 1,
    maximum: 1_024,
    default: 3,
    description:
      'Largest text of a feature whose geometry is read, MB; in memory it needs ten times as much. For a larger ' +
      'feature the extent stands for the footprint, and answers leave out the geometry.',
  }),
  FEATURE_MAX_ITEMS: integer({
    minimum: 1_000,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 100_000_000,
    description:
      'How many features and files one request may make the server look at, times the spatial IDs and corners that ' +
      'it compares each with.',
  }),
  FEATURE_MAX_READ_MB: integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 16_000,
    description: 'Text of features that one request may make the server read, MB.',
  }),
  FEATURE_INDEX_CACHE_MB: integer({
    minimum: 0,
    maximum: 65_536,
    default: 96,
    description:
      'Feature indexes that a server keeps in memory, MB; an index takes about 250 bytes a feature. With 0 each ' +
      'request reads what it needs.',
  }),
  FEATURE_BLOCK_CACHE_MB: integer({
    minimum: 0,
    maximum: 65_536,
    default: 16,
    description: 'Inflated text of GML files that a server keeps in memory, MB.',
  }),
  FEATURE_RECORD_CACHE_MB: integer({
    minimum: 0,
    maximum: 65_536,
    default: 64,
    description:
      'Attributes of features that were asked for by their ids, as JSON, which a server keeps in memory, MB: the ' +
      'last ones in an eighth of it, and those that were asked for again, about 1 kB each.',
  }),
  FEATURE_TABLE_MB: integer({
    minimum: 1,
    maximum: 65_536,
    default: 8,
    description:
      'Features that one answer keeps in memory until it knows all its columns (`format=csv`, `format=flatgeobuf`), ' +
      'MB. More of them wait on the disk.',
  }),
  FEATURE_SPOOL_MB: integer({
    minimum: 0,
    maximum: 10_000_000,
    default: 4_096,
    description:
      'Disk below `DATA_DIR` that features may take which wait for the columns of their answers, of all answers ' +
      'together, MB.',
  }),
};
