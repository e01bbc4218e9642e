import type { ComponentChildren } from 'preact';
import type { State } from '../core/state.ts';
import { addressOf, update, usePart } from '../core/store.ts';

/** A link to another state of the page: opens in place, in a new tab where the browser is asked to, and can be copied. */
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
  // The address depends on the whole state.
  usePart((state) => state);
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
