/** A state as a shape beside its words: who tells no colours apart tells these. */

export type Mood = 'plain' | 'good' | 'warn' | 'bad';

/** A check in a circle, a mark in a triangle, a cross in an octagon; of what is neither good nor bad a ring. */
const PATHS: Readonly<Record<Mood, string>> = {
  plain: 'M8 4.5a3.5 3.5 0 1 1 0 7a3.5 3.5 0 1 1 0-7',
  good: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13M5 8.2l2.2 2.2L11 6.2',
  warn: 'M8 1.8L15 14H1zM8 6.2v3.4M8 11.6v.4',
  bad: 'M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3zM5.7 5.7l4.6 4.6M10.3 5.7l-4.6 4.6',
};

export function MoodIcon({ mood }: { readonly mood: Mood }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width="12"
      height="12"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[mood]} />
    </svg>
  );
}
