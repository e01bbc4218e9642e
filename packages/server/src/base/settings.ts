/**
 * Every setting of the program, in one object: environment variables, and the same keys in a JSON file.
 * `docs/settings.md` is generated from it.
 */

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { withoutEnd } from '@citymodel/base';
import { parseJson } from './parse-json.ts';

/** Without a user and a password: addresses stand in answers and logs. */
const URL_PATTERN = '^https?://[^/?#@\\s]+(/[^?#\\s]*)?$';

interface IntegerSchema {
  type: 'integer';
  minimum: number;
  maximum: number;
  default: number;
  description: string;
}

interface TextSchema {
  type: 'string';
  minLength?: number;
  pattern?: string;
  /** What a pattern cannot say. */
  accepts?: (value: string) => boolean;
  /** What is accepted, in words; an address when nothing is said. */
  accepted?: string;
  /** Never printed. */
  isSecret?: boolean;
  default: string;
  description: string;
}

interface ChoiceSchema<T extends string> {
  type: 'string';
  enum: readonly T[];
  default: T;
  description: string;
}

// Plain JSON Schema of three kinds: a library for schemas would take a quarter of the time in which a server starts.
const integer = (schema: Omit<IntegerSchema, 'type'>): IntegerSchema => ({ type: 'integer', ...schema });
const text = (schema: Omit<TextSchema, 'type'>): TextSchema => ({ type: 'string', ...schema });
const choice = <const T extends string>(
  choices: readonly T[],
  schema: { default: NoInfer<T>; description: string },
): ChoiceSchema<T> => ({ type: 'string', enum: choices, ...schema });

/** JSON Schema of each setting. */
export const SETTINGS = {
  PORT: integer({
    minimum: 0,
    maximum: 65535,
    default: 8080,
    description: 'TCP port to listen on; 0 picks a free one.',
  }),
  WORKER_PORT: integer({
    minimum: -1,
    maximum: 65535,
    default: -1,
    description:
      'TCP port at which `citymodel worker` answers `/health/live`, `/health/ready` and `/metrics`, on HOST; 0 ' +
      'picks a free one, -1 means none.',
  }),
  HOST: text({ minLength: 1, default: '0.0.0.0', description: 'Address to listen on.' }),
  PUBLIC_URL: text({
    pattern: URL_PATTERN,
    default: 'http://localhost:8080',
    description:
      'Address at which callers reach the service; when it is not given, `http://localhost:{PORT}`. Every URL in an ' +
      'answer is built from it, never from the request.',
  }),
  ASSET_URL: text({
    pattern: `^$|${URL_PATTERN}`,
    default: '',
    description:
      'Address of the assets; empty means `{PUBLIC_URL}/assets`. Its host is the CMS host of the interface.',
  }),
  CMS_HOSTS: text({
    accepts: (value) => listOf(value).every((host) => /^([^\s/?#@:[\]]+|\[[\da-f:.]+\])(:\d+)?$/i.test(host)),
    accepted: 'host names such as assets.example.jp or localhost:8443, separated by commas',
    default: '',
    description:
      'Further host names whose URLs the service treats as its own, such as the host that a mirrored package came ' +
      'from; separated by commas.',
  }),
  DATA_DIR: text({ minLength: 1, default: './data', description: 'Directory of the embedded store.' }),
  DATABASE_URL: text({
    default: '',
    description:
      'Database: `postgres://user:password@host:port/database?sslmode=verify-full`, where `PGPASSWORD` and the ' +
      'other usual variables give what the address lacks; empty means SQLite in `DATA_DIR`.',
  }),
  DATABASE_POOL: integer({
    minimum: 2,
    maximum: 1_000,
    default: 10,
    description: 'Most connections of a process to PostgreSQL; one more listens for changes.',
  }),
  DATABASE_CONNECT_TIMEOUT_MS: integer({
    minimum: 100,
    maximum: 600_000,
    default: 5_000,
    description: 'Milliseconds that a request waits for a connection to PostgreSQL; then it gets 503.',
  }),
  DATABASE_STATEMENT_TIMEOUT_MS: integer({
    minimum: 100,
    maximum: 3_600_000,
    default: 30_000,
    description: 'Milliseconds that PostgreSQL may work on one statement of a request; then it gets 503.',
  }),
  OBJECT_STORE: text({
    default: '',
    description:
      'Where archives are kept; empty means a directory in `DATA_DIR`. A bucket of S3 is `s3://bucket/prefix`, with ' +
      '`?endpoint=https://s3.example.jp&region=ap-northeast-1&pathStyle=true` where it is not on AWS; keys come ' +
      'from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a profile, or the role of the machine. A container of ' +
      'Azure Blob Storage is `az://container/prefix?account=name`; its key comes from `AZURE_STORAGE_KEY`, or a ' +
      'token from `AZURE_STORAGE_SAS_TOKEN`.',
  }),
  HEIGHTS: choice(['geoid', 'egm96', 'elevation'], {
    default: 'geoid',
    description:
      'What `convert` makes of elevations where `--heights` does not say it. All tiles of a server should be of ' +
      'one vertical system: a conversion that ingests refuses `--heights` of the other one (`elevation`, or the ' +
      'ellipsoid).',
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
  ASSET_REDIRECT: text({
    accepts: (value) => value === '' || value === 'presigned' || new RegExp(URL_PATTERN, 'u').test(value),
    accepted: 'empty, presigned, or an address such as https://cdn.example.jp/bucket',
    default: '',
    description:
      'Where callers read city zips, and packs that are written out. Empty: from the server. `presigned`: the ' +
      'server redirects them to the bucket, by an address that is signed for an hour. An address: the server ' +
      'redirects them to it, followed by the key of the object; a CDN or a public bucket answers there.',
  }),
  CACHE_DIR: text({
    default: '',
    description:
      'Directory on a local disk for blocks of a remote object store that are read often, such as indexes; empty ' +
      'means `cache` in `DATA_DIR`. Several processes may share it, and it may be deleted at any time.',
  }),
  CACHE_MB: integer({
    minimum: 0,
    maximum: 10_000_000,
    default: 1_024,
    description: 'Largest size of the cache directory, MB; 0 means that nothing is kept on the disk.',
  }),
  CACHE_MEMORY_MB: integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 64,
    description: 'Blocks of a remote object store that a process keeps in memory, MB.',
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
  LOG_LEVEL: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    description: 'Least severe level that is logged.',
  }),
  LOOP_WARN_MS: integer({
    minimum: 0,
    maximum: 600_000,
    default: 200,
    description:
      'A turn of the event loop that computes for so many milliseconds logs a warning with the requests; 0 means ' +
      'never.',
  }),
  MAX_BOUNDS: integer({
    minimum: 1,
    maximum: 100_000,
    default: 1_000,
    description: 'How many mesh codes, spatial IDs or municipality codes one request may give.',
  }),
  MAX_URL_BYTES: integer({
    minimum: 1_024,
    maximum: 1_048_576,
    default: 524_288,
    description:
      'Longest request line and headers that are accepted, bytes. Ten thousand gml:ids take some 430,000.',
  }),
  MAX_BODY_BYTES: integer({
    minimum: 1_024,
    maximum: 1_073_741_824,
    default: 10_485_760,
    description: 'Largest request body that is accepted, bytes.',
  }),
  MAX_BODIES_BYTES: integer({
    minimum: 1_024,
    maximum: 1_099_511_627_776,
    default: 67_108_864,
    description:
      'Bytes of request bodies that a server has in memory at the same time, a quarter of them from one address; a ' +
      'request beyond gets 503 with `Retry-After`.',
  }),
  MAX_DROPPED_BYTES: integer({
    minimum: 0,
    maximum: 1_099_511_627_776,
    default: 67_108_864,
    description:
      'Bytes of a refused body that a server reads and drops, so that the caller reads the answer; then it closes ' +
      'the connection.',
  }),
  MAX_CONNECTIONS: integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 2_000,
    description: 'Connections that a server keeps open; further ones are closed at once.',
  }),
  MAX_PIPELINED: integer({
    minimum: 1,
    maximum: 1_000,
    default: 16,
    description:
      'Unanswered requests of one connection that a server handles at the same time; further ones wait.',
  }),
  MAX_LONG_POLLS: integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1_000,
    description:
      'Callers that may wait for the status of a pack at the same time; a caller beyond gets the present status at ' +
      'once.',
  }),
  LONG_POLLS_PER_ADDRESS: integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 64,
    description: 'The same for one address, or one /64 network of IPv6.',
  }),
  REQUEST_TIMEOUT_S: integer({
    minimum: 1,
    maximum: 3_600,
    default: 60,
    description: 'Seconds within which a whole request must have arrived.',
  }),
  IDLE_TIMEOUT_S: integer({
    minimum: 1,
    maximum: 3_600,
    default: 120,
    description: 'Seconds without a byte after which a connection is closed.',
  }),
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
  SHUTDOWN_GRACE_S: integer({
    minimum: 0,
    maximum: 3_600,
    default: 10,
    description: 'Seconds that running requests get to end after SIGTERM or SIGINT.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: text({
    pattern: `^$|${URL_PATTERN}`,
    default: '',
    description:
      'Collector of OpenTelemetry to which spans of requests, stores and jobs go, by OTLP over HTTP ' +
      '(`{address}/v1/traces`); empty means none. `OTEL_EXPORTER_OTLP_HEADERS` and ' +
      '`OTEL_EXPORTER_OTLP_COMPRESSION` count as usual.',
  }),
  OTEL_SERVICE_NAME: text({
    minLength: 1,
    default: 'citymodel',
    description: 'Name of this service in spans.',
  }),
  OTEL_TRACES_SAMPLER_ARG: text({
    pattern: '^(0(\\.\\d{1,6})?|1(\\.0{1,6})?)$',
    accepted: 'a number from 0 to 1',
    default: '1',
    description:
      'Share of traces that are sent, from 0 to 1. A trace that a caller began is sent when its `traceparent` says so.',
  }),
  DRAIN_S: integer({
    minimum: 0,
    maximum: 3_600,
    default: 0,
    description:
      'Seconds after SIGTERM or SIGINT for which a server goes on to answer while `/health/ready` says 503, for a ' +
      'load balancer to notice. Behind one it should be twice the time between two of its health checks.',
  }),
  STATUS_PACK_IDS: choice(['hide', 'show'], {
    default: 'hide',
    description:
      'Whether `/status.json` shows whole ids of packs. Anybody may read it, and anybody who knows an id may ' +
      'download ' +
      'the pack.',
  }),
  TRUSTED_PROXIES: text({
    accepts: (value) => value === '' || value.split(',').every((part) => isAddressOrNetwork(part.trim())),
    accepted: 'addresses or networks such as 10.0.0.1 or 10.0.0.0/8, separated by commas',
    default: '',
    description:
      'Addresses or networks (CIDR) of reverse proxies whose `X-Forwarded-For` names the caller, separated by ' +
      'commas; empty means that the peer of the connection is the caller.',
  }),
  FILE_LIST_CACHE_MB: integer({
    minimum: 0,
    maximum: 65_536,
    default: 32,
    description:
      'Compressed answers of the file search that a server keeps in memory, MB; the list of a municipality takes ' +
      'some 50 kB.',
  }),
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
  PACK_MAX_URLS: integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 10_000,
    description: 'How many different URLs one pack may have.',
  }),
  PACK_MAX_BYTES: integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 50 * 2 ** 30,
    description: 'Largest zip of a pack, bytes.',
  }),
  PACK_QUOTA_BYTES: integer({
    minimum: 1_000_000,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 20 * 2 ** 30,
    description:
      'Bytes that all packs together may use in database and object store; the pack that was asked for longest ago ' +
      'is deleted first. Zips that are written out count whole; they may use two times PACK_MAX_BYTES in any case.',
  }),
  GRAPHQL_MAX_DEPTH: integer({
    minimum: 1,
    maximum: 1_000,
    default: 20,
    description: 'How many fields within fields a GraphQL query may ask for.',
  }),
  GRAPHQL_MAX_ALIASES: integer({
    minimum: 0,
    maximum: 100_000,
    default: 500,
    description: 'How many aliases a GraphQL query may have.',
  }),
  GRAPHQL_MAX_TOKENS: integer({
    minimum: 10,
    maximum: 1_000_000,
    default: 4_000,
    description: 'How many words and signs a GraphQL query may have.',
  }),
  GRAPHQL_MAX_BYTES: integer({
    minimum: 100,
    maximum: 10_000_000,
    default: 100_000,
    description: 'Longest GraphQL query that is accepted, bytes; variables do not count.',
  }),
  GRAPHQL_MAX_BODY_BYTES: integer({
    minimum: 1_000,
    maximum: 100_000_000,
    default: 1_000_000,
    description: 'Longest body of a GraphQL request, bytes; `MAX_BODY_BYTES` holds too.',
  }),
  GRAPHQL_MAX_LIST: integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1_000,
    description: 'How many entries one list in GraphQL arguments may have, such as area codes and ids.',
  }),
  GRAPHQL_MAX_SEARCH_TOKENS: integer({
    minimum: 1,
    maximum: 10_000,
    default: 200,
    description: 'How many `searchTokens` a GraphQL filter may have.',
  }),
  GRAPHQL_MAX_COST: integer({
    minimum: 100,
    maximum: 100_000_000,
    default: 2_000_000,
    description:
      'How many fields the answer to a GraphQL query may have, together with the objects that its filters look at ' +
      'times their conditions. Every field of every dataset of a whole country is about 1,000,000.',
  }),
  GRAPHQL_MAX_ANSWER_BYTES: integer({
    minimum: 10_000,
    maximum: 10_000_000_000,
    default: 64_000_000,
    description:
      'Largest answer to a GraphQL query, bytes of plain text. Every field of every dataset of a whole country is ' +
      'about 26 MB.',
  }),
  PACK_RATE: integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 60,
    description: 'Packs that one address may ask for in a minute; 0 means any number.',
  }),
  PACK_RETENTION_S: integer({
    minimum: 1,
    maximum: 315_360_000,
    default: 604_800,
    description:
      'Seconds for which a finished pack can be downloaded, counted from when it was last asked for.',
  }),
  PACK_TIMEOUT_S: integer({
    minimum: 1,
    maximum: 86_400,
    default: 900,
    description: 'Seconds after which work on a pack is given up.',
  }),
  PACK_MATERIALISE: choice(['auto', 'always', 'never'], {
    default: 'auto',
    description:
      'Whether the zip of a pack is written to the object store or streamed from the archives; `auto` writes it ' +
      'when the object store is remote. The bytes are the same.',
  }),
  PACK_WORKERS: integer({
    minimum: 0,
    maximum: 64,
    default: 2,
    description:
      'Packs that a server, or a `citymodel worker`, works on at once; with 0 a server leaves them to workers.',
  }),
  JOB_WORKERS: integer({
    minimum: 0,
    maximum: 64,
    default: 1,
    description:
      'Jobs, such as ingestions, that a `citymodel worker` works on at once; with 0 it works on packs only. A ' +
      'server with ADMIN_TOKEN starts a worker of its own while jobs wait; with 0 it leaves them to others.',
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
  INSPECT: choice(['off', 'published'], {
    default: 'off',
    description:
      'With `published`, a job inspects each CityGML package that a worker has published, by the official rules of ' +
      'quality (docs/inspecting.md).',
  }),
  ADMIN_TOKEN: text({
    pattern: '^$|^[!-~]{16,200}$',
    accepted: 'empty, or 16 to 200 letters, digits and signs without blanks',
    isSecret: true,
    default: '',
    description:
      "Secret of the operator, which opens the operator's page at `/admin`: uploads, jobs, removal of packages. " +
      'Empty means that there is no such page and no such operation.',
  }),
  UPLOAD_MAX_BYTES: integer({
    minimum: 1_000,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 50 * 2 ** 30,
    description: 'Largest package that the operator may upload in the browser, bytes.',
  }),
  UPLOAD_MAX_COUNT: integer({
    minimum: 1,
    maximum: 1_000,
    default: 20,
    description: 'Uploads that may be unfinished at the same time.',
  }),
  UPLOAD_KEEP_S: integer({
    minimum: 60,
    maximum: 31_536_000,
    default: 604_800,
    description: 'Seconds without a byte after which an unfinished upload is deleted.',
  }),
  BASE_MAP_URL: text({
    pattern: '^$|^https?://[^/?#\\s]+/\\S*$',
    accepts: (value) => value === '' || ['{z}', '{x}', '{y}'].every((part) => value.includes(part)),
    accepted: 'the address of tiles such as https://tiles.example.jp/{z}/{x}/{y}.png',
    default: '',
    description:
      'Raster tiles beneath the map of the portal, a template with `{z}`, `{x}` and `{y}`; empty means none, so ' +
      'that nothing is asked of another host. In Japan `https://cyberjapandata.gsi.go.jp/xyz/pale/{z}/{x}/{y}' +
      '.png` is a good choice.',
  }),
  BASE_MAP_ATTRIBUTION: text({
    default: '',
    description: 'Who the base map is from, shown on the map; HTML such as a link is allowed.',
  }),
  EMBED_ORIGINS: text({
    pattern: '^$|^(\\*|https?://[^/?#\\s,;\'"]+)([\\s,]+(\\*|https?://[^/?#\\s,;\'"]+))*$',
    accepted: 'origins such as https://www.example.jp separated by commas, or *',
    default: '*',
    description:
      'Origins whose pages may hold the 3D view in a frame and send it commands, separated by commas ' +
      '(docs/embedding.md); `*` means every page, empty means only those of this service. No other view can be ' +
      'held in a frame of another origin.',
  }),
  ATTRIBUTION: text({
    default: '',
    description:
      'Attribution text in TileJSON documents; empty means the name of the municipality and the licence.',
  }),
};

export type Settings = {
  [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['default'];
};

/** Settings that cannot be used, with every mistake named. */
export class InvalidSettings extends Error {
  readonly mistakes: string[];
  constructor(mistakes: string[]) {
    super(`the settings cannot be used:\n${mistakes.map((m) => `  - ${m}`).join('\n')}`);
    this.name = 'InvalidSettings';
    this.mistakes = mistakes;
  }
}

/**
 * Reads the settings: defaults, then the JSON file named by `CONFIG_FILE`, then the environment.
 * Empty environment variables count as not set. Throws InvalidSettings naming every mistake at once.
 */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const mistakes: string[] = [];
  const values: Record<string, unknown> = {};
  const names = Object.keys(SETTINGS);
  const file = env.CONFIG_FILE;
  if (file) {
    try {
      const content = parseJson(readFileSync(file, 'utf8'));
      if (typeof content !== 'object' || content === null || Array.isArray(content)) {
        mistakes.push(`CONFIG_FILE ${file} must hold one JSON object`);
      } else {
        for (const [name, value] of Object.entries(content)) {
          if (names.includes(name)) values[name] = value;
          else
            mistakes.push(`CONFIG_FILE ${file} has the unknown key ${name}; known are ${names.join(', ')}`);
        }
      }
    } catch (error) {
      mistakes.push(`CONFIG_FILE ${file} cannot be read as JSON: ${(error as Error).message}`);
    }
  }
  for (const name of names) {
    const value = env[name];
    if (value !== undefined && value !== '') values[name] = value;
  }
  const settings: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries<IntegerSchema | TextSchema | ChoiceSchema<string>>(SETTINGS)) {
    const value = values[name] ?? schema.default;
    const mistake = schema.type === 'integer' ? integerMistake(value, schema) : textMistake(value, schema);
    if (mistake !== null) {
      const shown =
        'isSecret' in schema && schema.isSecret ? 'not accepted' : withoutSecrets(JSON.stringify(value));
      mistakes.push(`${name} is ${shown}, but it must be ${mistake}`);
    }
    settings[name] = schema.type === 'integer' ? Number(value) : value;
  }
  if (mistakes.length > 0) throw new InvalidSettings(mistakes);
  const result = settings as Settings;
  const publicUrl =
    values.PUBLIC_URL === undefined && result.PORT !== 0
      ? `http://localhost:${result.PORT}`
      : withoutEnd(result.PUBLIC_URL, '/');
  return {
    ...result,
    PUBLIC_URL: publicUrl,
    ASSET_REDIRECT: withoutEnd(result.ASSET_REDIRECT, '/'),
    ASSET_URL: withoutEnd(result.ASSET_URL || `${publicUrl}/assets`, '/'),
  };
}

/**
 * What is printed of a value that may be an address: not its user and password, nor its query, which may have a key.
 */
function withoutSecrets(text: string): string {
  return text.replace(/\/\/[^/?#\s"]*@/, '//…@').replace(/[?#][^\s"]*/, '?…');
}

/** What a setting must be, in words for the one who sets it; null where it is that. */
function integerMistake(value: unknown, { minimum, maximum }: IntegerSchema): string | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  const isRight =
    typeof number === 'number' && Number.isInteger(number) && number >= minimum && number <= maximum;
  return isRight ? null : `a whole number from ${minimum} to ${maximum}`;
}

function textMistake(value: unknown, schema: TextSchema | ChoiceSchema<string>): string | null {
  if ('enum' in schema) {
    return schema.enum.includes(value as string) ? null : `one of ${schema.enum.join(', ')}`;
  }
  if (typeof value !== 'string') return 'text';
  if (value.length < (schema.minLength ?? 0)) return 'some text, not empty';
  const fits = schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value);
  if (fits && (schema.accepts?.(value) ?? true)) return null;
  return (
    schema.accepted ?? 'an address such as https://data.example.jp/path, without user, password and query'
  );
}

/** Parts of a comma-separated list, without blanks around them and without empty ones. */
function listOf(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Whether it is an IP address, a network as `address/bits`, or one of the names that stand for well-known networks. */
function isAddressOrNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address, bits, more] = text.split('/');
  const version = isIP(address!);
  if (version === 0 || more !== undefined) return false;
  return bits === undefined || (/^[1-9]\d*$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
