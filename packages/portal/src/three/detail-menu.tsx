/** What few choose about a model: how detailed, with textures or without, and models of more than one municipality. */
import type { TilesSpec } from 'citymodel-server/shared';
import { useState } from 'preact/hooks';
import { loadComposites } from '../core/data.ts';
import { useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { BenchMenu } from './bench-menu.tsx';
import type { ModelKind } from './choice.ts';
import { compositeName } from './models.ts';
import { openElsewhere, openHere } from './open-model.ts';
import { useThree } from './words.ts';

const BEST = 'best';

interface DetailMenuProps {
  model: string | null;
  /** What the model means; null for one that is no spec and no dataset. */
  spec: TilesSpec | null;
  /** What there is of it; undefined for a model of no municipality. */
  kind: ModelKind | undefined;
}

export function DetailMenu({ model, spec, kind }: DetailMenuProps) {
  const three = useThree();
  const lod = spec === null || spec.lod.max ? null : spec.lod.value;
  const label = lod === null ? three('detail') : three('detailLod', { lod });
  return (
    <BenchMenu label={label} isOn={lod !== null || (spec !== null && spec.texture !== null)}>
      {spec !== null && kind !== undefined && (
        <>
          {kind.lods.length > 1 && <LodField spec={spec} lods={kind.lods} />}
          {kind.texture && <TextureField spec={spec} />}
        </>
      )}
      <OtherModels model={model} />
    </BenchMenu>
  );
}

function LodField({ spec, lods }: { spec: TilesSpec; lods: readonly number[] }) {
  const three = useThree();
  return (
    <label class="field">
      <span>{three('lod')}</span>
      <select
        value={spec.lod.max ? BEST : String(spec.lod.value)}
        onChange={({ currentTarget: { value } }) =>
          openHere({
            ...spec,
            lod: value === BEST ? { max: true, value: 4 } : { max: false, value: Number(value) },
          })
        }
      >
        <option value={BEST}>{three('best')}</option>
        {lods.map((lod) => (
          <option key={lod} value={String(lod)}>
            LOD {lod}
          </option>
        ))}
      </select>
    </label>
  );
}

function TextureField({ spec }: { spec: TilesSpec }) {
  const { t } = useWords();
  const three = useThree();
  return (
    <label class="field">
      <span>{t('texture')}</span>
      <select
        value={String(spec.texture)}
        onChange={({ currentTarget: { value } }) =>
          openHere({ ...spec, texture: value === 'null' ? null : value === 'true' })
        }
      >
        <option value="null">{three('anyTexture')}</option>
        <option value="true">{t('textured')}</option>
        <option value="false">{t('untextured')}</option>
      </select>
    </label>
  );
}

/** Composites of the country and prefectures, and a spec of one's own. */
function OtherModels({ model }: { model: string | null }) {
  const words = useWords();
  const { t } = words;
  const three = useThree();
  const composites = useLoaded('composites', loadComposites);
  const [spec, setSpec] = useState('');
  const rows = composites.value ?? [];
  return (
    <fieldset class="other-models">
      <legend>{three('otherSpec')}</legend>
      {rows.length > 0 && (
        <label class="field">
          <span>{t('composites')}</span>
          <select
            value={rows.some(({ id }) => id === model) ? model! : ''}
            onChange={(event) => openElsewhere(event.currentTarget.value)}
          >
            <option value="">{three('chooseComposite')}</option>
            {rows.map((row) => (
              <option key={row.id} value={row.id}>
                {compositeName(row, words)}
              </option>
            ))}
          </select>
        </label>
      )}
      <form
        class="field inline"
        onSubmit={(event) => {
          event.preventDefault();
          if (spec.trim() !== '') openElsewhere(spec.trim());
        }}
      >
        <label>
          <span>{t('modelSpec')}</span>
          <input
            type="text"
            placeholder="47900-bldg-maxlod2-latest"
            spellcheck={false}
            value={spec}
            onInput={(event) => setSpec(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          {t('modelOpen')}
        </button>
      </form>
    </fieldset>
  );
}
