import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { State } from '../core/state.ts';
import { addressOf, update, useLaterPart } from '../core/store.ts';

/**
 * A link to another state of the page: opens in place, in a new tab where the browser is asked to, and can be copied.
 */
export function StateLink({
  to,
  children,
  class: name,
  current = false,
}: {
  to: Partial<State>;
  children: ComponentChildren;
  class?: string;
  current?: boolean;
}) {
  // The address depends on the whole state, and nobody sees it in the frame that answers a click.
  const latest = useRef(to);
  latest.current = to;
  useLaterPart(() => addressOf(latest.current));
  return (
    <a
      href={addressOf(to)}
      class={name}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        update(to, { push: true });
      }}
    >
      {children}
    </a>
  );
}
