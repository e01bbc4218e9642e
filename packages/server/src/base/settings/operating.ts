/** What operators see and do: the log, traces, the status page, uploads. */
import { choice, integer, text, URL_PATTERN } from './kinds.ts';

export const OPERATING_SETTINGS = {
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
  SECURITY_CONTACT: text({
    pattern: '^$|^(mailto:|https://|tel:)[^\\s,]+(\\s*,\\s*(mailto:|https://|tel:)[^\\s,]+)*$',
    accepted:
      'addresses such as mailto:security@example.jp or https://example.jp/contact, separated by commas',
    default: '',
    description:
      'Where people report a vulnerability of this service, the best address first: `/.well-known/security.txt` (RFC ' +
      '9116) names it. Empty means that there is no such file.',
  }),
  SECURITY_POLICY: text({
    pattern: '^$|^https://[^\\s]+$',
    accepted: 'an address that begins with https://',
    default: '',
    description:
      'Page that says how reports of vulnerabilities are handled, for the same file; empty means none.',
  }),
  STATUS_PACK_IDS: choice(['hide', 'show'], {
    default: 'hide',
    description:
      'Whether `/status.json` shows whole ids of packs. Anybody may read it, and anybody who knows an id may ' +
      'download ' +
      'the pack.',
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
};
