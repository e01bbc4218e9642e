/** The 3D view: model, colours, and the feature that was clicked. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiFailure, api } from '../core/api.ts';
import type { DatasetRow } from '../core/catalogue.ts';
import { config } from '../core/config.ts';
import { loadCatalogue } from '../core/data.ts';
import { current, update, usePart, useWords } from '../core/store.ts';
import { useTheme } from '../core/theme.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { Failure, Loading } from '../ui/parts.tsx';
import { Colours } from './colours.tsx';
import { FeaturePanel } from './feature-panel.tsx';
import { ModelChoice } from './model-choice.tsx';
import { modelOf } from './models.ts';
import type { PickedFeature, SceneModel, TileScene } from './tile-scene.ts';

interface Tileset {
  root: { boundingVolume: { region?: number[] } };
}

export function ThreePage() {
  const { t } = useWords();
  const catalogue = useLoaded('catalogue', loadCatalogue);
  const model = usePart((s) => s.model);
  const [scene, setScene] = useState<TileScene | null>(null);
  const [picked, setPicked] = useState<PickedFeature | null>(null);
  const [nothing, setNothing] = useState(false);
  const [arrived, setArrived] = useState(0);
  const [waiting, setWaiting] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [tries, setTries] = useState(0);
  const container = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const datasets = catalogue.value?.datasets ?? [];
  const rowOfTile = useMemo(() => tileOwners(datasets), [datasets]);
  const id = picked === null ? null : gmlId(picked);

  useEffect(() => {
    let made: TileScene | null = null;
    let live = true;
    import('./tile-scene.ts').then(({ TileScene }) => {
      if (!live) return;
      made = new TileScene(container.current!, theme, {
        onPick(feature) {
          setPicked(feature);
          setNothing(feature === null);
          update({ feature: feature === null ? null : gmlId(feature) });
        },
        onCamera: (camera) => {
          if (current().view === '3d') update({ camera });
        },
        onFeatures: () => setArrived((n) => n + 1),
        onLoaded: () => setWaiting(false),
      });
      setScene(made);
    }, setFailure);
    return () => {
      live = false;
      made?.destroy();
    };
    // One scene, whose theme is set below
  }, []);
  useEffect(() => scene?.setTheme(theme), [scene, theme]);
  useEffect(() => scene?.select(id ?? current().feature), [scene, id]);
  // Opened again when another model is chosen, or after a failure
  useEffect(() => {
    if (scene === null || catalogue.value === null || model === null) return;
    let live = true;
    setFailure(null);
    setPicked(null);
    setWaiting(true);
    open(scene, model, datasets)
      .then(() => live && scene.select(current().feature))
      .catch((error) => {
        if (!live) return;
        setFailure(error);
        setWaiting(false);
      });
    return () => {
      live = false;
    };
  }, [scene, model, catalogue.value, tries]);

  return (
    <>
      <div class="panel">
        {catalogue.error !== null && <Failure error={catalogue.error} retry={catalogue.retry} />}
        {catalogue.value !== null && <ModelChoice model={model} datasets={datasets} />}
        {scene !== null && model !== null && failure === null && (
          <Colours scene={scene} arrived={arrived} rowOfTile={rowOfTile} />
        )}
        {picked !== null ? (
          <FeaturePanel
            id={id}
            feature={picked}
            row={rowOfTile(picked.tile)}
            onClose={() => {
              setPicked(null);
              update({ feature: null });
              scene?.select(null);
            }}
          />
        ) : (
          model !== null && (
            <p class="hint quiet" role="status">
              {t(waiting ? 'modelLoading' : nothing ? 'nothingThere' : 'clickHint')}
            </p>
          )
        )}
      </div>
      <section class="stage" aria-label={t('modelCanvas')} aria-describedby="three-keys">
        <div class="canvas">
          <div class="canvas-fill" ref={container} />
        </div>
        <p id="three-keys" class="visually-hidden">
          {t('modelKeyboard')}
        </p>
        {model === null && catalogue.value !== null && (
          <p class="notice over">
            {t(datasets.some((row) => row.format === '3D Tiles') ? 'modelChoose' : 'modelNone')}
          </p>
        )}
        {(scene === null || waiting) && failure === null && model !== null && (
          <Loading text={t('modelLoading')} />
        )}
        {failure !== null && (
          <div class="over">
            {failure instanceof ApiFailure ? (
              <Failure error={failure} retry={() => setTries(tries + 1)} />
            ) : (
              <div class="notice bad" role="alert">
                <p>{t(scene === null ? 'failWebgl' : 'modelFailed')}</p>
                <p lang="en">{String((failure as Error).message ?? failure)}</p>
              </div>
            )}
          </div>
        )}
        {scene !== null && model !== null && failure === null && (
          <div class="stage-tools">
            <button type="button" class="button small" onClick={() => scene.pickMiddle()}>
              {t('middle')}
            </button>
            <button type="button" class="button small" onClick={() => scene.fit()}>
              {t('fit')}
            </button>
          </div>
        )}
      </section>
    </>
  );
}

/** Asks for the tileset, so that what is wrong with it is told in the service's own words, and shows it. */
async function open(scene: TileScene, id: string, datasets: readonly DatasetRow[]): Promise<void> {
  const model = modelOf(id, datasets);
  if (model === null) {
    throw new ApiFailure(
      'missing',
      404,
      `"${id}" is neither the id of a 3D Tiles dataset nor a spec of a composite.`,
    );
  }
  const below = model.path.startsWith(config.base) ? model.path.slice(config.base.length) : model.path;
  const tileset = await api<Tileset>(below);
  const region = tileset.root.boundingVolume.region;
  if (region === undefined) throw new Error('The root of the tileset has no region.');
  const degrees = region.slice(0, 4).map((radians) => (radians * 180) / Math.PI);
  const [west, south, east, north] = degrees as [number, number, number, number];
  const shown: SceneModel = {
    url: config.base + below,
    bounds: { west, south, east, north },
    low: region[4]!,
    high: region[5]!,
  };
  await scene.open(shown, current().camera);
}

/** The path of a URL up to its last slash. */
function directoryOf({ pathname }: URL): string {
  return pathname.slice(0, pathname.lastIndexOf('/') + 1);
}

/** Finds the dataset that a tile is of: the one below whose directory its URL lies. */
function tileOwners(datasets: readonly DatasetRow[]): (url: string) => DatasetRow | undefined {
  const owners = datasets
    .filter((row) => row.format === '3D Tiles')
    .map((row) => ({ row, directory: directoryOf(new URL(row.url)) }));
  return (url) => {
    const { pathname } = new URL(url, location.href);
    return owners.find(({ directory }) => pathname.startsWith(directory))?.row;
  };
}

function gmlId({ properties }: PickedFeature): string | null {
  for (const name of ['gml_id', 'gml:id', '_gml_id', 'gmlID', 'id']) {
    const value = properties[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}
