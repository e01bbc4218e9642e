/** The setting that refuses packages by findings, with the inspection that it needs. */
import { CHECKS } from '@citymodel/inspect';
import { InvalidSettings } from '../base/settings.ts';
import type { FindingsRefused } from '../ingest/refuse-findings.ts';
import { inspectPackage } from './inspect-package.ts';

/** What ingestions are told of `REFUSE_FINDINGS`; nothing where it is empty. Throws for a code that no check has. */
export function refusedFindings(setting: string): { refuses?: FindingsRefused } {
  const codes = setting
    .split(',')
    .map((code) => code.trim())
    .filter((code) => code !== '');
  if (codes.length === 0) return {};
  const unknown = codes.filter((code) => !CHECKS.some((check) => check.code === code));
  if (unknown.length > 0) {
    throw new InvalidSettings([
      `REFUSE_FINDINGS names ${unknown.join(', ')}, which no check of quality is called.`,
    ]);
  }
  const inspect: FindingsRefused['inspect'] = (path, checks, signal) =>
    inspectPackage(
      { kind: 'upload', path, overrides: {}, isNameless: true },
      { checks, threads: 0, signal, onProgress: () => {} },
    );
  return { refuses: { codes, inspect } };
}
