/** Issues and refusals as commands print them, in the language of the environment. */
import { bySeverity, ISSUES_IN_JAPANESE, type Issue, type IssueSeverity, standsFor } from '@citymodel/base';
import type { ConvertIssue } from '@citymodel/tiles';
import type { Language } from './language.ts';

/** Issues of one code that are printed for one package; all of them are in `--json`. */
const PRINTED_PER_CODE = 3;

const SEVERITIES_IN_JAPANESE: Record<IssueSeverity, string> = {
  error: 'エラー',
  warning: '警告',
  info: '情報',
};

/**
 * A few issues of each code, worst first; hundreds of files may lack the same code list. `most`: how many of each.
 */
export function issueLines(
  issues: readonly Issue[],
  language: Language,
  most: number = PRINTED_PER_CODE,
): string[] {
  const byCode = Map.groupBy(issues.toSorted(bySeverity), (issue) => issue.code);
  return [...byCode].flatMap(([code, found]) => {
    const shown = found.slice(0, most);
    const more = found.slice(most).reduce((sum, issue) => sum + standsFor(issue), 0);
    if (language === 'en') {
      const rest = more === 0 ? [] : [`… and ${more} more of ${code} (--json lists them)`];
      return [...shown.map(issueLine), ...rest];
    }
    const rest = more === 0 ? [] : [`  … ほか ${more} 件（--json ですべて表示）`];
    // What was found stays in English: it has the names and numbers of this very place.
    return [
      `${SEVERITIES_IN_JAPANESE[found[0]!.severity]} ${code}${meaningOf('ingest', code)}`,
      ...shown.map((issue) => `  ${[...placeOf(issue, language), issue.message].join(' ')}`),
      ...rest,
    ];
  });
}

function issueLine(issue: Issue): string {
  const place = placeOf(issue, 'en');
  return `${issue.severity} ${issue.code}${place.length === 0 ? '' : ` ${place.join(', ')}`}: ${issue.message}`;
}

function placeOf({ member, line, byte }: Issue, language: Language): string[] {
  return [
    member,
    line === undefined ? null : language === 'ja' ? `${line} 行` : `line ${line}`,
    byte === undefined ? null : language === 'ja' ? `${byte} バイト目` : `byte ${byte}`,
  ].filter((part) => part !== null);
}

/** How many issues there are of each severity. */
export function countsLine(
  { error, warning, info }: Record<IssueSeverity, number>,
  language: Language,
): string {
  return language === 'ja'
    ? `指摘：エラー ${error}、警告 ${warning}、情報 ${info}`
    : `issues: ${error} errors, ${warning} warnings, ${info} notes`;
}

/** Why a package was refused or failed. */
export function refusalLine(
  outcome: 'refused' | 'failed',
  { code, reason }: { code: string; reason: string },
  language: Language,
): string {
  if (language === 'en') return `${outcome} (${code}): ${reason}`;
  return `${outcome === 'refused' ? '拒否' : '失敗'}（${code}）${meaningOf('refused', code)} (${reason})`;
}

/** Issues of a conversion by code, with the first files of each. */
export function convertIssueLines(issues: readonly ConvertIssue[], language: Language): string[] {
  return [...Map.groupBy(issues, (issue) => issue.code)].flatMap(([code, found]) => {
    const { severity, message, remedy } = found[0]!;
    const count = found.reduce((sum, issue) => sum + issue.count, 0);
    const left = found.length - PRINTED_PER_CODE;
    const isJapanese = language === 'ja';
    return [
      isJapanese
        ? `${SEVERITIES_IN_JAPANESE[severity]} ${code}（${found.length} ファイルに ${count} 件）` +
          `${meaningOf('convert', code)} (${message})`
        : `${severity} ${code}, ${count} in ${found.length} files: ${message} ${remedy}`,
      ...found.slice(0, PRINTED_PER_CODE).map(({ file, id, count: times }) => {
        const others = isJapanese ? ` ほか ${times - 1} 件` : ` and ${times - 1} more`;
        return `  ${file}${id === null ? '' : ` ${id}`}${times > 1 ? others : ''}`;
      }),
      ...(left <= 0
        ? []
        : [
            isJapanese
              ? `  … ほか ${left} ファイル（--json ですべて表示）`
              : `  … and ${left} more files (--json lists all)`,
          ]),
    ];
  });
}

/** What a code means and what to do; nothing where a code has no words yet. */
function meaningOf(table: keyof typeof ISSUES_IN_JAPANESE, code: string): string {
  const words = ISSUES_IN_JAPANESE[table][code];
  return words === undefined ? '' : `：${words[0]}対処：${words[1]}`;
}
