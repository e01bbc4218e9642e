/** The report as a page by itself, to read and to print, in Japanese and English. */

import type { BothLanguages, Check } from '../check.ts';
import { CHECKS } from '../checks/index.ts';
import type { InspectReport, ReportCheck, ReportItem } from './report.ts';

/** Items of one check that a page lists. */
const LISTED = 200;

const WORDS = {
  title: { ja: '品質検査報告', en: 'Quality report' },
  holds: { ja: 'エラーはありません', en: 'No errors' },
  incomplete: { ja: '検査した範囲にエラーはありません', en: 'No errors in what was looked at' },
  fails: { ja: 'エラーがあります', en: 'There are errors' },
  spec: { ja: '製品仕様書', en: 'Product specification' },
  plane: { ja: '平面直角座標系', en: 'Plane system' },
  objects: { ja: 'オブジェクトリスト', en: 'Object list' },
  schemas: { ja: 'XMLスキーマ', en: 'XML schemas' },
  none: { ja: 'なし', en: 'none' },
  files: { ja: 'ファイル', en: 'Files' },
  check: { ja: '検査項目', en: 'Check' },
  rule: { ja: '規則', en: 'Rule' },
  errors: { ja: '件数', en: 'Found' },
  where: { ja: '箇所', en: 'Where' },
  line: { ja: '行', en: 'line' },
  warning: { ja: '警告', en: 'warning' },
  error: { ja: 'エラー', en: 'error' },
  count: { ja: '件数のみ', en: 'count' },
  notLooked: { ja: '検査していないもの', en: 'Not looked at' },
  times: { ja: '回', en: 'times' },
  more: { ja: 'ほかの箇所（JSON または CSV を参照）', en: 'further places; see JSON or CSV' },
  language: { ja: 'English', en: '日本語' },
} satisfies Record<string, BothLanguages>;

/** The whole page. */
export function htmlReport(report: InspectReport, checks: readonly Check[] = CHECKS): string {
  const facts = new Map(checks.map((check) => [check.code, check]));
  const found = report.checks.filter(({ errors }) => errors > 0);
  return `<!doctype html>
<html lang="ja">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(report.package)} – ${WORDS.title.ja} / ${WORDS.title.en}</title>
<style>${STYLE}</style>
<header>
<button type="button" id="language">${both(WORDS.language)}</button>
<p class="kind">${both(WORDS.title)}</p>
<h1>${escaped(report.package)}</h1>
<p class="verdict ${report.ok ? 'ok' : 'wrong'}">${both(verdictOf(report))}</p>
<dl>
<div><dt>${both(WORDS.spec)}</dt><dd>${report.spec}</dd></div>
<div><dt>${both(WORDS.plane)}</dt><dd>EPSG:${report.plane}</dd></div>
<div><dt>${both(WORDS.objects)}</dt><dd>${report.objects === null ? both(WORDS.none) : escaped(report.objects)}\
</dd></div>
${report.schemas === undefined ? '' : `<div><dt>${both(WORDS.schemas)}</dt><dd>${escaped(report.schemas)}</dd></div>`}
${report.inPassing ? '' : `<div><dt>${both(WORDS.files)}</dt><dd>${report.files.length}</dd></div>`}
</dl>
</header>
<main>
${notLooked(report)}
<table>
<thead><tr><th>${both(WORDS.check)}</th><th>${both(WORDS.rule)}</th><th class="number">${both(WORDS.errors)}</th>\
</tr></thead>
<tbody>
${report.checks.map((check) => row(check, facts.get(check.code))).join('\n')}
</tbody>
</table>
${found.map((check) => section(check, facts.get(check.code))).join('\n')}
</main>
<script>${SCRIPT}</script>
</html>
`;
}

function verdictOf({ ok, complete }: InspectReport): BothLanguages {
  if (!ok) return WORDS.fails;
  return complete ? WORDS.holds : WORDS.incomplete;
}

function notLooked({ skipped }: InspectReport): string {
  if (skipped.length === 0) return '';
  const lines = skipped.slice(0, LISTED).map(({ file, reason, count }) => {
    const times = count > 1 ? ` (${count} ${both(WORDS.times)})` : '';
    return `<li>${file === null ? '' : `<code>${escaped(file)}</code> `}${escaped(reason)}${times}</li>`;
  });
  return `<section><h2>${both(WORDS.notLooked)}</h2><ul>${lines.join('')}</ul></section>`;
}

function row({ code, name, severity, errors }: ReportCheck, facts: Check | undefined): string {
  const label = errors > 0 ? `<a href="#${escaped(code)}">${errors}</a>` : '0';
  const state = errors === 0 ? 'none' : severity;
  return (
    `<tr class="${state}"><td><code>${escaped(code)}</code> <span lang="ja">${escaped(name)}</span></td>` +
    `<td>${facts === undefined ? '' : both(facts.rule)}</td><td class="number">${label}</td></tr>`
  );
}

function section(
  { code, name, severity, errors, items, left }: ReportCheck,
  facts: Check | undefined,
): string {
  const listed = items.slice(0, LISTED);
  const rest = items.length - listed.length + left;
  return `<section id="${escaped(code)}" class="${severity}">
<h2><code>${escaped(code)}</code> \
${facts === undefined ? `<span lang="ja">${escaped(name)}</span>` : both(facts.title)} <span class="count">\
${errors} (${both(WORDS[severity])})</span></h2>
<ul>${listed.map(itemLine).join('')}</ul>
${rest > 0 ? `<p>+ ${rest} ${both(WORDS.more)}</p>` : ''}
</section>`;
}

function itemLine({ file, line, id, message, position }: ReportItem): string {
  const place = [
    file === null ? '' : `<code>${escaped(file)}</code>`,
    line === null ? '' : `${both(WORDS.line)} ${line}`,
    id === null ? '' : `<code>${escaped(id)}</code>`,
    position === null || position === undefined
      ? ''
      : position.map((value) => Number(value.toFixed(6))).join(', '),
  ];
  return `<li>${escaped(message)}<br><small>${place.filter((part) => part !== '').join(' · ')}</small></li>`;
}

function both({ ja, en }: BothLanguages): string {
  return `<span class="ja" lang="ja">${escaped(ja)}</span><span class="en" lang="en">${escaped(en)}</span>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --wrong: #b3261e; --warn: #8a5a00; --good: #1b6e3c; }
@media (prefers-color-scheme: dark) { :root { --wrong: #ff8a80; --warn: #ffc266; --good: #7fd6a0; } }
body { font: 15px/1.6 system-ui, "Noto Sans JP", sans-serif; margin: 0 auto; max-width: 62rem; padding: 1.5rem; }
html[lang=ja] .en, html[lang=en] .ja { display: none; }
header { border-bottom: 1px solid var(--line); margin-bottom: 1.5rem; }
.kind { margin: 0; opacity: .7; } h1 { font-size: 1.4rem; margin: 0; overflow-wrap: anywhere; }
.verdict { font-weight: 700; } .ok { color: var(--good); } .wrong { color: var(--wrong); }
#language { float: right; } dl { display: flex; flex-wrap: wrap; gap: 0 2rem; } dt { opacity: .7; font-size: .85em; \
} dd { margin: 0; }
table { border-collapse: collapse; width: 100%; } th, td { border-bottom: 1px solid var(--line); padding: .35rem \
.5rem; text-align: left; vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; } tr.error .number { color: var(--wrong); \
font-weight: 700; } tr.warning .number { color: var(--warn); }
tr.none { opacity: .75; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; } .count { font-weight: 400; opacity: .8; }
li { margin: .3rem 0; overflow-wrap: anywhere; } small { opacity: .75; } code { font-size: .9em; }
@media print { #language { display: none; } body { max-width: none; } section { break-inside: avoid-page; } }
`;

const SCRIPT = `
var root = document.documentElement;
if (!/^ja/.test(navigator.language)) root.lang = 'en';
document.getElementById('language').onclick = function () { root.lang = root.lang === 'ja' ? 'en' : 'ja'; };
`;
