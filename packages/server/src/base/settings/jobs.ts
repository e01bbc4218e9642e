/** Jobs and workers, and conversions, which are jobs. */
import { choice, integer, text } from './kinds.ts';

export const JOBS_SETTINGS = {
  JOB_WORKERS: integer({
    minimum: 0,
    maximum: 64,
    default: 1,
    description:
      'Jobs, such as ingestions, that a `citymodel worker` works on at once; with 0 it works on packs only. A ' +
      'server starts workers of its own while jobs wait: for inspections, comparisons and tables always, for ' +
      'uploads and conversions with ADMIN_TOKEN; with 0 it leaves all of them to others.',
  }),
  JOB_MEMORY_MB: integer({
    minimum: 100,
    maximum: 1_000_000,
    default: 1_000,
    description:
      'Memory that the jobs of one worker may take together by the estimate of each kind, MB; one job runs in any ' +
      'case.',
  }),
  JOB_ATTEMPTS: integer({
    minimum: 1,
    maximum: 100,
    default: 5,
    description:
      'Attempts after which a job that fails is given up. It is then on the dead-letter list, and a person can ' +
      'retry it.',
  }),
  JOB_RETRY_S: integer({
    minimum: 0,
    maximum: 3_600,
    default: 10,
    description:
      'Seconds before the second attempt of a job; the pause doubles with every attempt, up to an hour.',
  }),
  JOB_LEASE_S: integer({
    minimum: 2,
    maximum: 3_600,
    default: 60,
    description: 'Seconds after which another worker takes over a job whose worker gives no sign of life.',
  }),
  JOB_TIMEOUT_S: integer({
    minimum: 1,
    maximum: 2_592_000,
    default: 86_400,
    description: 'Seconds after which an attempt of a job is ended; it counts as failed.',
  }),
  JOB_POLL_MS: integer({
    minimum: 10,
    maximum: 600_000,
    default: 1_000,
    description:
      'How often a worker looks for jobs, milliseconds. PostgreSQL also tells it of a new job at once.',
  }),
  JOB_RETENTION_S: integer({
    minimum: 1,
    maximum: 315_360_000,
    default: 2_592_000,
    description:
      'Seconds after which the program forgets a job that has ended, and deletes the upload that was put into the ' +
      'object store for it.',
  }),
  TABLES: choice(['published', 'off'], {
    default: 'published',
    description:
      'With `published`, a job makes GeoParquet of the features of each CityGML package that was published ' +
      '(docs/tables.md). `citymodel reindex` makes those that are missing. `off` makes none.',
  }),
  PICTURES: choice(['published', 'off'], {
    default: 'published',
    description:
      'With `published`, a job draws each package of 3D Tiles that was published, for lists and links ' +
      '(docs/pictures.md). `citymodel reindex` draws those that are missing. `off` draws none.',
  }),
  INSPECT: choice(['off', 'published'], {
    default: 'off',
    description:
      'With `published`, a job inspects each CityGML package that a worker has published, by the official rules of ' +
      'quality (docs/inspecting.md).',
  }),
  REFUSE_FINDINGS: text({
    default: '',
    description:
      'Codes of checks of quality, by commas, such as `C08,L02`: a CityGML package with errors or warnings of one is ' +
      'refused by ingestions and dry runs. Empty: no finding keeps a package from being published.',
  }),
  GEOID: text({
    default: '',
    description:
      'File of geoid heights with which `convert` brings elevations to the ellipsoid: GeoTIFF (`.tif`), `.asc` of ' +
      'the GSI, or `.isg`; empty means GSIGEO2011 of Japan, which comes with the program.',
  }),
  GEOID_DATUM: choice(['jgd2011', 'jgd2024'], {
    default: 'jgd2011',
    description:
      'Which heights of Japan the file of `GEOID` belongs to: those before the revision of April 2025 (GSIGEO2011), ' +
      'or those after it (JPGEO2024). Heights of the other are revised first. `jgd2011` for other countries.',
  }),
  HEIGHTS: choice(['geoid', 'egm96', 'elevation'], {
    default: 'geoid',
    description:
      'What `convert` makes of elevations where `--heights` does not say it. All tiles of a server should be of ' +
      'one vertical system: a conversion that ingests refuses `--heights` of the other one (`elevation`, or the ' +
      'ellipsoid).',
  }),
};
