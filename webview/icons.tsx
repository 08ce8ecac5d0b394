import type { ComponentChildren, VNode } from 'preact';

/** Drawn for Ledgerline on a 16-pixel grid, one stroke width, in the colour of the text around them. */
const DRAWINGS = {
  loading: <path d="M8 2.5a5.5 5.5 0 1 1-5.2 3.7" />,
  'bell-dot': (
    <>
      <path d="M3 12h10l-1.2-1.8V7.3A3.8 3.8 0 0 0 8 3.5a3.8 3.8 0 0 0-3.8 3.8v2.9zM6.7 14h2.6" />
      <circle class="filled" cx="12.2" cy="3.8" r="2.3" />
    </>
  ),
  pass: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="m5.4 8.2 1.8 1.8 3.4-3.8" />
    </>
  ),
  warning: <path d="M8 2.7 14 13H2zM8 6.7v3M8 11.1v.6" />,
  error: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="m6 6 4 4m0-4-4 4" />
    </>
  ),
  'debug-stop': <rect x="3.8" y="3.8" width="8.4" height="8.4" rx=".8" />,
  watch: (
    <>
      <circle cx="8" cy="8" r="4.3" />
      <path d="M8 5.8V8l1.4 1M6.2 3.8l.4-2h2.8l.4 2m-3.6 8.4.4 2h2.8l.4-2" />
    </>
  ),
  question: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M6.4 6.5a1.7 1.7 0 1 1 2.5 1.5c-.6.3-.9.6-.9 1.2M8 10.8v.5" />
    </>
  ),
  'debug-pause': <path d="M5.5 3.5v9m5-9v9" />,
  'debug-step-over': (
    <>
      <path d="M2.8 7.5a5.3 5.3 0 0 1 10-1.6m.4-3.1v3.4H9.8" />
      <circle class="filled" cx="8" cy="11.5" r="1.7" />
    </>
  ),
  'debug-disconnect': (
    <path d="M6.3 9.7 3.6 12.4M9.7 6.3l2.7-2.7M5 8.4l-1 1a2 2 0 0 0 2.6 2.6l1-1zm6-.8 1-1A2 2 0 0 0 9.4 4l-1 1zM3 3l10 10" />
  ),
  'circle-slash': (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="m4.1 11.9 7.8-7.8" />
    </>
  ),
  dash: <path d="M4 8h8" />,
  ellipsis: (
    <>
      <circle class="filled" cx="4" cy="8" r="1" />
      <circle class="filled" cx="8" cy="8" r="1" />
      <circle class="filled" cx="12" cy="8" r="1" />
    </>
  ),
  edit: <path d="m3 13 .8-3.2 7-7 2.4 2.4-7 7zm6.4-8.8 2.4 2.4" />,
  'repo-forked': (
    <>
      <circle cx="4.5" cy="3.8" r="1.6" />
      <circle cx="11.5" cy="3.8" r="1.6" />
      <circle cx="8" cy="12.2" r="1.6" />
      <path d="M4.5 5.4v1.1c0 1 .8 1.7 1.7 1.7h3.6c.9 0 1.7-.8 1.7-1.7V5.4M8 8.2v2.4" />
    </>
  ),
  history: <path d="M2.8 5.5a5.5 5.5 0 1 1-.3 3.4M2.5 2.8v3h3M8 5.2V8l2 1.3" />,
  transcript: <path d="M3.5 2.5h9v11h-9zM5.7 5.5h4.6M5.7 8h4.6m-4.6 2.5h2.6" />,
  'circle-outline': <circle cx="8" cy="8" r="5.5" />,
  'circle-half': (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path class="filled" d="M8 2.5a5.5 5.5 0 0 1 0 11z" />
    </>
  ),
  lock: <path d="M4 7.5h8V13H4zm1.8 0V5.2a2.2 2.2 0 0 1 4.4 0v2.3" />,
  check: <path d="m3.2 8.6 3 3 6.6-7.2" />,
  copy: <path d="M5.5 5.5v-3h8v8h-3m0-5v8h-8v-8z" />,
  insert: <path d="M3 3.5v9m10-4.5H6.2m2.8-3L6 8l3 3" />,
  apply: <path d="M9 2.5H3.5v11h9V6zm0 0V6h3.5M5.7 10l1.6 1.6 3-3.6" />,
  'task-open': <rect x="2.5" y="2.5" width="11" height="11" rx="1.5" />,
  'task-done': (
    <>
      <rect x="2.5" y="2.5" width="11" height="11" rx="1.5" />
      <path d="m5.2 8.2 2 2 3.6-4.4" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 7.4v3.4M8 5v.6" />
    </>
  ),
  add: <path d="M8 3v10M3 8h10" />,
  close: <path d="m4 4 8 8m0-8-8 8" />,
  'chevron-right': <path d="m6 3.8 4.2 4.2L6 12.2" />,
  'chevron-down': <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />,
  file: <path d="M4 2.5h5l3 3v8H4zM9 2.5v3h3" />,
  folder: <path d="M2.5 4h4l1.3 1.5h5.7V12.5h-11z" />,
  selection: <path d="M2.5 4h11M2.5 8h7M2.5 12h9" />,
  image: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1" />
      <path d="m3 11.5 3-3.2 2.3 2.2L10.5 8l2.7 3" />
      <circle cx="6" cy="6" r=".9" />
    </>
  ),
  mention: (
    <>
      <circle cx="8" cy="8" r="2.4" />
      <path d="M10.4 5.6v3.2a1.6 1.6 0 0 0 3.1.2A5.6 5.6 0 1 0 11 12.8" />
    </>
  ),
  checkpoint: <path d="M2.5 8h11M5.5 2.8 8 5.3l2.5-2.5M5.5 13.2 8 10.7l2.5 2.5" />,
  'arrow-down': <path d="M8 3v9.5M4 8.7l4 4 4-4" />,
  send: <path d="M8 13V3.2M3.8 7.2 8 3l4.2 4.2" />,
} as const satisfies Record<string, ComponentChildren>;

export type IconName = keyof typeof DRAWINGS;

export function Icon({ name, spin = false }: { name: IconName; spin?: boolean }): VNode {
  return (
    <svg class={spin ? 'icon spin' : 'icon'} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {DRAWINGS[name]}
    </svg>
  );
}
