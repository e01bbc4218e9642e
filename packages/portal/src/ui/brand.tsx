/** The mark of the portal with its name: what stands first in each header. */
export function Brand({ name }: { name: string }) {
  return (
    <>
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <path d="M6 25V15l6-4v14M12 25V6l8-2.3V25M20 25V14l6 2.4V25M3.5 25h25" />
      </svg>
      <span>{name}</span>
    </>
  );
}
