/** The filters that are on, each to be taken away by a click. */
import { current, update, useWords } from '../core/store.ts';
import { InWords } from '../ui/in-words.tsx';
import { attributeName } from './attribute-names.ts';
import type { Facet } from './facets.ts';
import { rangeText, valuesOf } from './ranges.ts';
import { conditionOn, namesOf, withCondition } from './where.ts';
import { useThree } from './words.ts';

export function FilterChips({ where, facets }: { where: string; facets: readonly Facet[] }) {
  const { t, attribute, language } = useWords();
  const three = useThree();
  const titleOf = (name: string) => {
    const facet = facets.find((one) => one.name === name);
    return facet === undefined
      ? (attribute(name) ?? attributeName(name, language) ?? name)
      : three(facet.title);
  };
  return (
    <ul class="filter-chips">
      {namesOf(where).map((name) => {
        const condition = conditionOn(where, name);
        const range = rangeText(condition);
        const title = titleOf(name);
        return (
          <li key={name}>
            <button
              type="button"
              class="chip"
              title={three('removeFilter', { name: title })}
              onClick={() => update({ where: withCondition(current().where, name, '') })}
            >
              <span>
                {title}{' '}
                {range ??
                  valuesOf(condition).map((value, i) => (
                    <span key={value}>
                      {i > 0 && ', '}
                      {value === '' ? t('colourMissing') : <InWords value={value} />}
                    </span>
                  ))}
              </span>
              <span aria-hidden="true">×</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
