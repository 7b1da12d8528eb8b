/** What the page shows from its first byte on until there is something to see; its looks are in boot.css. */
export function Boot() {
  return (
    <div className="boot" role="status" aria-busy>
      <img src="favicon.svg" alt="" width={44} height={44} />
    </div>
  );
}
