/** The features of a place as a file of a GIS or a spreadsheet, with what it will weigh said before. */
import { useState } from 'preact/hooks';
import { config } from '../core/config.ts';
import {
  type FeaturePlace,
  FORMAT_NAMES,
  featuresFile,
  featuresPath,
  isTooLarge,
  LONGEST_PATH,
  roughly,
  sizeOf,
  TABLE_FORMATS,
} from '../core/feature-query.ts';
import type { FeatureSum } from '../core/feature-sums.ts';
import { useWords } from '../core/store.ts';
import { Address } from './parts.tsx';

interface FeaturesAsDataProps {
  place: FeaturePlace;
  /** Features by type, of the files that the place meets. */
  types: ReadonlyMap<string, FeatureSum>;
  everyYear?: boolean;
  /** Whether the place is only the box around what is meant. */
  isFrame: boolean;
  /** Whether files reach out of the place, so that there may be fewer features in it. */
  isPart: boolean;
  /** What the files are named by, besides the type. */
  name: string;
}

export function FeaturesAsData({
  place,
  types,
  everyYear = false,
  isFrame,
  isPart,
  name,
}: FeaturesAsDataProps) {
  const { t, type: nameOf, fill, number, bytes } = useWords();
  const [chosen, setChosen] = useState<string | null>(null);
  const codes = [...types.keys()];
  const type = chosen !== null && types.has(chosen) ? chosen : codes[0];
  if (type === undefined) return null;
  const { features, tables } = types.get(type)!;
  const pathOf = (format: (typeof TABLE_FORMATS)[number]) => featuresPath({ place, type, everyYear }, format);
  const isTooLong = pathOf('flatgeobuf').length > LONGEST_PATH;
  const refused = TABLE_FORMATS.filter(
    (format) => tables !== null && isTooLarge(tables, format, config.tableMaxBytes),
  );
  return (
    <details class="features-data">
      <summary>{t('asData')}</summary>
      <label class="field">
        <span>{t('type')}</span>
        <select value={type} onChange={(event) => setChosen(event.currentTarget.value)}>
          {codes.map((code) => (
            <option key={code} value={code}>
              {nameOf(code)} ({number(types.get(code)!.features)})
            </option>
          ))}
        </select>
      </label>
      {isTooLong ? (
        <p class="notice">{t('asDataTooMany')}</p>
      ) : (
        <>
          <p class="actions">
            {TABLE_FORMATS.map((format) =>
              refused.includes(format) ? (
                <button key={format} type="button" class="button small" disabled>
                  {FORMAT_NAMES[format]}
                </button>
              ) : (
                <a
                  key={format}
                  class="button small"
                  href={config.base + pathOf(format)}
                  download={featuresFile(`${name}_${type}`, format)}
                >
                  {FORMAT_NAMES[format]}
                  {sizeOf(tables, format) !== null && (
                    <span class="quiet">
                      {' '}
                      {t(isPart ? 'atMost' : 'about')} {bytes(roughly(sizeOf(tables, format)!))}
                    </span>
                  )}
                </a>
              ),
            )}
          </p>
          <p class="quiet small-note">
            {fill(isPart ? 'asDataNotePart' : 'asDataNote', { count: number(features) })}
            {(tables === null || !isPart) && ` ${t(tables === null ? 'asDataNoSize' : 'asDataSizes')}`}
            {isFrame && ` ${t('asDataNoteBox')}`}
          </p>
          {refused.length > 0 && (
            <p class="notice">
              {fill('asDataTooLarge', { formats: refused.map((format) => FORMAT_NAMES[format]).join(', ') })}
            </p>
          )}
          <Address url={config.publicUrl + pathOf('geojson')} label={t('request')} />
        </>
      )}
    </details>
  );
}

/** The features of one file, as links in a line. */
export function FileAsData({ url, type, name }: { url: string; type: string; name: string }) {
  return (
    <span class="formats">
      {TABLE_FORMATS.map((format) => (
        <a
          key={format}
          href={config.base + featuresPath({ place: { url }, type }, format)}
          download={featuresFile(name, format)}
          aria-label={`${FORMAT_NAMES[format]}: ${name}`}
        >
          {FORMAT_NAMES[format]}
        </a>
      ))}
    </span>
  );
}
