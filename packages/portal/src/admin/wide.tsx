import type { ComponentChildren } from 'preact';

/** A table that scrolls where it is wider than the page. */
export function Wide({ labelledBy, children }: { labelledBy: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section class="wide" tabIndex={0} aria-labelledby={labelledBy}>
      <table>{children}</table>
    </section>
  );
}
