/** What is missing of the view, and a way to ask for it again. */
import { useWords } from '../core/store.ts';
import type { TileState } from './tile-count.ts';
import { useThree } from './words.ts';

export function TileNotice({ state, retry }: { state: TileState; retry: () => void }) {
  const { t, number } = useWords();
  const three = useThree();
  if (state.trouble === null) return null;
  const counts = { failed: number(state.failed), all: number(state.failed + state.loaded) };
  return (
    <div class="tile-notice" role="alert">
      <span>{three(state.trouble === 'offline' ? 'tilesOffline' : 'tilesMissing', counts)}</span>
      <button type="button" class="button small" onClick={retry}>
        {t('retry')}
      </button>
    </div>
  );
}
