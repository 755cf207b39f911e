import { type Browser, chromium } from 'playwright-core'

/** The last list counts, so Playwright's own stands in it. The first three make processes that no test has a use for. */
const WITHOUT = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'],
  ...['AimEnabled', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints'],
  ...['PaintHolding', 'PreconnectToSearch', 'ThirdPartyStoragePartitioning'],
]
const ARGS = [
  `--disable-features=${WITHOUT.join(',')}`,
  // One origin at a time: nothing to keep apart.
  '--disable-site-isolation-trials',
  '--renderer-process-limit=1',
  '--in-process-gpu',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-extensions',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let launched: Promise<Browser> | null = null

/** One browser for all files that a worker runs one after the other. It ends with the worker. */
export async function oneBrowser(): Promise<Browser> {
  if (launched && !(await launched).isConnected()) launched = null
  launched ??= chromium.launch({ executablePath: process.env.CLAWBOO_CHROMIUM ?? '/usr/bin/chromium', args: ARGS })
  return launched
}
