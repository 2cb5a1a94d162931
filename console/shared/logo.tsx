/** The console's mark, as in favicon.svg. */
export const Logo = ({ size = 28 }: { size?: number }) => (
  <svg width={size} height={size} viewBox='0 0 32 32' aria-hidden='true'>
    <rect width='32' height='32' rx='8' fill='#5f3dc4' />
    <path d='M9 10h4c6 0 4 12 10 12' fill='none' stroke='#fff' strokeWidth='2.5' />
    <circle cx='9' cy='10' r='3.5' fill='#fff' />
    <circle cx='23' cy='22' r='3.5' fill='#fff' />
  </svg>
);
