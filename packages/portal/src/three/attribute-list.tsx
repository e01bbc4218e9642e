/** Attributes of a feature in words: operation 11's object as nested lists. */
import { useWords } from '../core/store.ts';
import { InWords } from '../ui/in-words.tsx';

/** Said elsewhere in the panel. */
const HIDDEN = new Set(['gml:id', '_type', '_bbox']);

export function AttributeList({ attributes }: { attributes: Record<string, unknown> }) {
  const words = useWords();
  return (
    <dl class="attributes">
      {Object.entries(attributes).map(([key, value]) => {
        if (HIDDEN.has(key) || isCompanion(key, attributes)) return null;
        return (
          <div key={key} class={isNested(value) ? 'nested' : ''}>
            <dt>
              {words.attribute(key) ?? lastName(key)}
              {words.attribute(key) !== null && <code>{key}</code>}
            </dt>
            <dd>
              <Value
                value={key === 'uro:city' ? cityIn(words, value, attributes[`${key}_code`]) : value}
                code={attributes[`${key}_code`]}
                uom={attributes[`${key}_uom`]}
              />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function Value({ value, code, uom }: { value: unknown; code?: unknown; uom?: unknown }) {
  const { t, number } = useWords();
  if (Array.isArray(value)) {
    return (
      <>
        {value.map((item, i) => (
          <Value key={i} value={item} code={Array.isArray(code) ? code[i] : undefined} uom={uom} />
        ))}
      </>
    );
  }
  if (typeof value === 'object' && value !== null) {
    const { type, name, value: inner, uom: unit } = value as Record<string, unknown>;
    // A generic attribute brings its own name.
    if (typeof type === 'string' && typeof name === 'string' && inner !== undefined) {
      return (
        <div class="generic">
          <span class="quiet">{name}</span>
          <Value value={inner} uom={unit} />
        </div>
      );
    }
    return <AttributeList attributes={value as Record<string, unknown>} />;
  }
  const unknown = value === -9999 || value === 9999 || value === '9999' || value === '-9999';
  return (
    <div>
      {unknown ? t('unknown') : typeof value === 'number' ? number(value) : <InWords value={value} />}
      {!unknown && typeof uom === 'string' && ` ${uom}`}
      {unknown && <code> {String(value)}</code>}
      {typeof code === 'string' && code !== value && <code> {code}</code>}
    </div>
  );
}

/** A municipality by its code, which says more than the name. */
function cityIn({ areaOf, language }: ReturnType<typeof useWords>, value: unknown, code: unknown): unknown {
  return language === 'en' && typeof value === 'string' && typeof code === 'string'
    ? areaOf(code, value)
    : value;
}

/** True for objects and lists of them, which need the whole width. */
function isNested(value: unknown): boolean {
  const [first] = Array.isArray(value) ? value : [value];
  return typeof first === 'object' && first !== null;
}

/** True for the code beside a value in words, and the unit beside a number. */
function isCompanion(key: string, attributes: Record<string, unknown>): boolean {
  const base = key.replace(/_(code|uom)$/, '');
  return base !== key && base in attributes;
}

function lastName(key: string) {
  return <code class="key">{key}</code>;
}
