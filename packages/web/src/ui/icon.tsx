const PATHS = {
  fleet:
    'M4 20v-1.5a5 5 0 0 1 5-5h1a5 5 0 0 1 5 5V20M9.5 10.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M16 4.2a3.3 3.3 0 0 1 0 5.8M18 14.3a5 5 0 0 1 2.5 4.2V20',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  api: 'M8 8l-4 4 4 4M16 8l4 4-4 4M13.5 5l-3 14',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16 16l4.5 4.5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  down: 'M7 10l5 5 5-5',
  up: 'M7 14l5-5 5 5',
  check: 'M5 13l4 4L19 7',
  back: 'M14 6l-6 6 6 6',
  history: 'M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4M12 8v4.5l3 1.8',
  dice: 'M5 5h14v14H5zM9 9h.01M15 15h.01M12 12h.01',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  pencil: 'M4 20l1-4L16 5l3 3L8 19z',
  team: 'M12 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6M6 20a6 6 0 0 1 12 0M4.5 13.5a2 2 0 1 0 0-4M19.5 13.5a2 2 0 1 1 0-4',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  folder: 'M3 6h6.5l2 2.5H21V19H3z',
  theme: 'M12 4a8 8 0 1 0 8 8 6 6 0 0 1-8-8',
  leave: 'M10 5H5v14h5M14 8l4 4-4 4M18 12H9',
  move: 'M4 9h14l-3-3M20 15H6l3 3',
  keyboard: 'M3 7h18v10H3zM7 10.5h.01M11 10.5h.01M15 10.5h.01M8 14h8',
  terminal: 'M4 6l5 5-5 5M12 17h8',
  thought: 'M12 4a7 7 0 0 1 4 12.7V18H8v-1.3A7 7 0 0 1 12 4M9.5 21h5',
  notice: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M12 8v4.5M12 15.5h.01',
  runs: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M10.5 9l4.5 3-4.5 3z',
  send: 'M12 19V6M6.5 11.5L12 6l5.5 5.5',
  stop: 'M7 7h10v10H7z',
  play: 'M8 5.5l11 6.5-11 6.5z',
  pause: 'M9 6v12M15 6v12',
  chat: 'M4 5h16v11H10l-4.5 4V16H4z',
  setup: 'M5 4v6M5 14v6M12 4v10M12 18v2M19 4v2M19 10v10M3 12h4M10 16h4M17 8h4',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  board: 'M4 5h4v13H4zM10 5h4v8h-4zM16 5h4v10h-4z',
  plug: 'M9 3v5M15 3v5M6.5 8h11v3a5.5 5.5 0 0 1-11 0zM12 16.5V21',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 20.5h4',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.6 : 1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
