/** Counts as bars in a table, and as columns of a histogram with the same as a table. */
import type { ComponentChildren } from 'preact';
import type { FeatureStatistics } from '../core/interface-types.ts';
import { useWords } from '../core/store.ts';
import { type Bar, barsOf, type Chart, classesOf } from './figures.ts';
import { wordIn } from './words.ts';

interface ChartProps {
  chart: Chart;
  answer: FeatureStatistics;
  /** What a value is called, where that is not the value. */
  labelOf?: (value: string) => ComponentChildren;
}

export function ChartOf(props: ChartProps) {
  return props.chart.kind === 'histogram' ? <Histogram {...props} /> : <Bars {...props} />;
}

function Bars({ chart, answer, labelOf }: ChartProps) {
  const { number, language } = useWords();
  const word = wordIn(language);
  const { bars, others } = barsOf(answer.groups, chart, word('several'));
  const rows: Array<{ key: string; label: ComponentChildren; count: number }> = bars.map(
    ({ value, count }) =>
      value === null
        ? { key: '', label: word('unknown'), count }
        : { key: String(value), label: labelOf?.(String(value)) ?? valueLabel(chart, value), count },
  );
  if (others > 0) rows.push({ key: 'others ', label: word('others'), count: others });
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return (
    <table class="count-bars">
      <caption>{word(chart.title)}</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">{word(chart.title)}</th>
          <th scope="col">{word('count')}</th>
          <th scope="col">{word('share')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, label, count }) => (
          <tr key={key} style={{ '--share': String(count / most) }}>
            <th scope="row">{label}</th>
            <td>{number(count)}</td>
            <td class="quiet">{percent(count, answer.features)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A value of the data, which are Japanese; kinds of features have the English names of the standard. */
function valueLabel({ name }: Chart, value: string | number) {
  if (name !== '_type') return <span lang="ja">{value}</span>;
  return <span lang="en">{String(value).replace(/^\w+:/, '')}</span>;
}

function Histogram({ chart, answer }: ChartProps) {
  const { number, language } = useWords();
  const word = wordIn(language);
  const { bars, isOpen, rest } = classesOf(answer.groups, chart);
  if (bars.length === 0) return null;
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const nameOf = ({ value }: Bar & { value: number }, n: number) =>
    isOpen && n === bars.length - 1
      ? `${value}+`
      : chart.step === 1
        ? String(value)
        : `${value}–${value + chart.step}`;
  const peak = bars.reduce((best, bar) => (bar.count > best.count ? bar : best));
  return (
    <figure class="histogram">
      <figcaption>{word(chart.title)}</figcaption>
      <div
        class="columns"
        role="img"
        aria-label={`${word(chart.title)}: ${nameOf(peak, bars.indexOf(peak))} (${number(peak.count)})`}
      >
        {bars.map((bar, n) => (
          <span
            key={bar.value}
            style={{ '--share': String(bar.count / most) }}
            title={`${nameOf(bar, n)}: ${number(bar.count)}`}
          />
        ))}
      </div>
      <p class="ends quiet" aria-hidden="true">
        <span>{bars[0]!.value}</span>
        <span>{nameOf(bars.at(-1)!, bars.length - 1)}</span>
      </p>
      <details>
        <summary>{word('numbers')}</summary>
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">{word(chart.title)}</th>
              <th scope="col">{word('count')}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map((bar, n) => (
              <tr key={bar.value}>
                <th scope="row">{nameOf(bar, n)}</th>
                <td>{number(bar.count)}</td>
              </tr>
            ))}
            {rest > 0 && (
              <tr>
                <th scope="row">{word('unknown')}</th>
                <td>{number(rest)}</td>
              </tr>
            )}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function percent(count: number, all: number): string {
  if (all === 0) return '';
  const share = (100 * count) / all;
  return `${share < 10 ? share.toFixed(1) : share.toFixed(0)} %`;
}
