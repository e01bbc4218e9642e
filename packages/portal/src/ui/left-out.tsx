/** What a link asked for and is not shown. */

import { useSignal } from '../core/signal.ts';
import { leftOut, useWords } from '../core/store.ts';

export function LeftOut() {
  const { t } = useWords();
  const parts = useSignal(leftOut);
  return (
    <div class="left-out" role="status">
      {parts.length > 0 && (
        <p class="notice">
          {t('leftOut')} <span lang="en">{parts.join(' · ')}</span>{' '}
          <button type="button" class="button small" onClick={() => leftOut.set([])}>
            {t('close')}
          </button>
        </p>
      )}
    </div>
  );
}
