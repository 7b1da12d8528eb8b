/** The product's logo: a hub inside an open ring, in the accent colour. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      aria-hidden
      style={{ flex: "none", display: "block" }}
    >
      <rect width="32" height="32" rx="8" fill="var(--mantine-primary-color-filled)" />
      <path
        d="M22.7 10.2a8.8 8.8 0 1 0 2.1 5.8H16"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="16" cy="16" r="2.9" fill="#fff" />
    </svg>
  );
}
