/** Packs (operations 8 to 10). */
import Type from 'typebox';
import { fileSize, integer, object, text, texts, url } from './common.ts';

export const PackRequest = object(
  {},
  {
    urls: Type.Array(Type.String(), {
      description:
        'GML files and metadata zips, as the file search lists them, and tables (`parquet_url` of the catalogue).',
    }),
    conditions: text('Instead of `urls`: conditions of the file search, such as `m:53394509`.'),
    types: Type.Union([Type.Array(Type.String()), Type.String()], {
      description: 'With `conditions`: feature-type codes.',
    }),
    latest: Type.Boolean({
      description:
        'With `conditions`: is accepted and has no effect. A pack has the newest year of each municipality and ' +
        'feature type.',
    }),
  },
  'Give `urls` or `conditions`, not both. `types` and `latest` go with `conditions` only.',
);

const packId = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Pack id: the same files are the same pack.',
});

export const PackAccepted = object({ id: packId });

export const PackStatus = object(
  {
    id: packId,
    status: Type.Enum(['accepted', 'processing', 'succeeded', 'failed']),
    progress: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Never decreases; 1 exactly when succeeded.',
    }),
    startedAt: Type.String({
      format: 'date-time',
      description: 'When processing started. Before that, when the server accepted the pack.',
    }),
    url: url('Address of the zip.'),
  },
  {
    expiresAt: Type.String({ format: 'date-time', description: 'When the server deletes a finished pack.' }),
    size: fileSize,
    files: integer('Members of the zip.'),
    missing: texts('The first 1,000 paths that the files refer to and their packages lack.'),
    missingCount: integer('Number of all such paths.'),
    reason: text('Why the pack failed.'),
  },
);

/** The answer before a pack is done. */
export const PackNotDone = object(
  { error: Type.String(), status: Type.Enum(['accepted', 'processing', 'failed']) },
  { reason: Type.String() },
);
