/** The commands of the program. */
import type { Command } from 'commander';

/**
 * Commands in the order of the help, each in its own file. Only the one that is asked for is loaded: a server should
 * not wait for what makes samples.
 */
export const COMMANDS: Record<string, () => Promise<(program: Command) => void>> = {
  serve: async () => (await import('./serve.ts')).addServe,
  ingest: async () => (await import('./ingest.ts')).addIngest,
  list: async () => (await import('./list.ts')).addList,
  remove: async () => (await import('./remove.ts')).addRemove,
  'bring-back': async () => (await import('./bring-back.ts')).addBringBack,
  'purge-list': async () => (await import('./purge-list.ts')).addPurgeList,
  stac: async () => (await import('./stac.ts')).addStac,
  check: async () => (await import('./check.ts')).addCheck,
  inspect: async () => (await import('./inspect.ts')).addInspect,
  convert: async () => (await import('./convert.ts')).addConvert,
  reindex: async () => (await import('./reindex.ts')).addReindex,
  pack: async () => (await import('./pack.ts')).addPack,
  worker: async () => (await import('./worker.ts')).addWorker,
  jobs: async () => (await import('./jobs.ts')).addJobs,
  move: async () => (await import('./move.ts')).addMove,
  backup: async () => (await import('./backup.ts')).addBackup,
  restore: async () => (await import('./restore.ts')).addRestore,
  sample: async () => (await import('./sample.ts')).addSample,
  demo: async () => (await import('./demo.ts')).addDemo,
};
