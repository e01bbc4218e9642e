import { spawnSync } from 'node:child_process';

/** Programs that nobody here wrote, each with the arguments that make it test every member of a zip. */
const PROGRAMS: Record<string, string[]> = {
  unzip: ['-tqq'],
  '7z': ['t', '-bso0'],
  bsdtar: ['-xOf'],
  python3: ['-c', 'import sys, zipfile\nsys.exit(1 if zipfile.ZipFile(sys.argv[1]).testzip() else 0)'],
};

/** Those that are on the PATH here. */
export function zipPrograms(): string[] {
  return Object.keys(PROGRAMS).filter((program) => {
    const found = spawnSync(program, program === 'python3' ? ['-c', 'import zipfile'] : ['--help'], {
      stdio: 'ignore',
    });
    return found.error === undefined;
  });
}

/** Lets a program test the zip at the path; returns what it complains of, or null. */
export function complaintOf(program: string, path: string): string | null {
  const run = spawnSync(program, [...(PROGRAMS[program] as string[]), path], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  return run.status === 0
    ? null
    : `${program} exited with ${run.status}: ${run.stderr}${run.stdout.slice(0, 500)}`;
}
