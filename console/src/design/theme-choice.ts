/** Light, dark, or as the system has it: kept in this browser, and no secret. */
import { useState } from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEPT = 'countersign.theme';

export function applyTheme(theme: Theme = keptTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(keptTheme);
  const choose = (chosen: Theme): void => {
    localStorage.setItem(KEPT, chosen);
    applyTheme(chosen);
    setTheme(chosen);
  };
  return [theme, choose];
}

function keptTheme(): Theme {
  const kept = localStorage.getItem(KEPT);
  return THEMES.find((theme) => theme === kept) ?? 'system';
}
