/**
 * What the run of all tests consists of: pieces of work, a process each, the longest first. Units that leave their
 * process as it is share one, since starting it and loading modules is a third of the time of all.
 */
import { readFileSync } from 'node:fs';

/** A process of tests. */
export interface Work {
  files: readonly string[];
  /** How long it takes, beside others on two cores; a guess where nobody has measured it. */
  seconds: number;
  /** Seconds after which it is ended, and has failed. */
  limit: number;
  /** Browsers draw with all processors, so that one at a time is enough for two. */
  isBrowser: boolean;
}

/** Where `--record` writes how long the long files take. */
export const SECONDS_FILE = 'scripts/testing/seconds.tsv';
/** Files of units that share a process, at most. */
const TOGETHER = 40;
/** A file of units beside others in its process, and one of the black box. */
const GUESS = { unit: 1, outside: 4 };
/** The black box waits for servers, and works on real packages. */
const LIMIT = { unit: 240, shared: 400, outside: 600 };

/**
 * What leaves other tests of the process with another one, or measures it; clocks that a test sets are set for all. A
 * hook outside of a suite would run for the tests of all files.
 */
const CHANGES_ITS_PROCESS = new RegExp(
  [
    String.raw`^(?:before|after)(?:Each)?\(`,
    String.raw`process\.(?:env|memoryUsage|resourceUsage|on|once|exit|kill|chdir|umask|cpuUsage)\b`,
    String.raw`mock\.(?:timers|method|module)|configureGlobal|globalThis\.\w+ =`,
    String.raw`setFlagsFromString|monitorEventLoopDelay|eventLoopUtilization|new Worker\b|spawn\(|execFile|fork\(`,
    'testing/(?:postgres|kill|ceph|azurite|house-store|run-command)|setTracer|child_process',
  ].join('|'),
  'm',
);

/** Whether a file of tests, by its text, needs a process of its own. */
export function changesItsProcess(text: string): boolean {
  return CHANGES_ITS_PROCESS.test(text);
}

/**
 * Whether a file of `test/`, by its text, tests the portal's logic: it needs neither the built program nor a browser,
 * and of what supports such tests takes rows alone.
 */
export function isUnitOfPortal(text: string): boolean {
  return (
    /from\s'[^']*portal\/src\//.test(text) && !/from\s'\.\/(support\/(?!portal-rows)|browser\/)/.test(text)
  );
}

/** Divides files into processes. Units of which SECONDS_FILE knows that they are long have one of their own, too. */
export function workOf(files: readonly string[]): Work[] {
  const seconds = readSeconds();
  const alone: Work[] = [];
  const shared: string[] = [];
  for (const file of files) {
    const known = seconds.get(file);
    const text = readFileSync(file, 'utf8');
    const isOutside = /^test[\\/]/.test(file) && !isUnitOfPortal(text);
    if (isOutside || known !== undefined || changesItsProcess(text)) {
      alone.push({
        files: [file],
        seconds: known ?? (isOutside ? GUESS.outside : GUESS.unit),
        limit: isOutside ? LIMIT.outside : LIMIT.unit,
        isBrowser: /^test[\\/](.*browser|portal-real)\.test\.ts$/.test(file),
      });
    } else shared.push(file);
  }
  const batches = Array.from({ length: Math.ceil(shared.length / TOGETHER) }, (_, index) => {
    const batch = shared.slice(index * TOGETHER, (index + 1) * TOGETHER);
    return { files: batch, seconds: batch.length * GUESS.unit, limit: LIMIT.shared, isBrowser: false };
  });
  return [...alone, ...batches].sort((a, b) => b.seconds - a.seconds);
}

/** Seconds of long files, by path. */
export function readSeconds(): Map<string, number> {
  const lines = readFileSync(SECONDS_FILE, 'utf8').trim().split('\n').slice(1);
  return new Map(
    lines.map((line) => {
      const [seconds, file] = line.split('\t');
      return [file!, Number(seconds)] as const;
    }),
  );
}
