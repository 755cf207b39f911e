import { lstatSync, readlinkSync } from 'node:fs'

/** Programs and libraries. Links among them, as on most systems today, stay links. */
const PROGRAM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store']

/**
 * The settings that programs need to start, to name users and to check certificates. The rest of /etc stays hidden: it
 * has passwords, private keys and the credentials of other programs.
 */
const SETTINGS = `
  alternatives bash.bashrc ca-certificates crypto-policies debian_version default/locale environment fonts gitattributes
  group host.conf hostname hosts inputrc java java-* java-11-openjdk java-17-openjdk java-21-openjdk jvm ld.so.cache
  ld.so.conf ld.so.conf.d libnl-3 locale.alias locale.conf localtime login.defs machine-id magic mailcap mime.types
  networks nsswitch.conf os-release passwd perl pki/ca-trust pki/tls/certs pki/tls/cert.pem profile profile.d protocols
  python python3 python3.11 python3.12 python3.13 R rpc services shells ssl/cert.pem ssl/certs ssl/openssl.cnf
  static terminfo texmf timezone vim wgetrc xdg zoneinfo
`
  .trim()
  .split(/\s+/)
  .filter((name) => !name.includes('*'))

/** The options that show the system's programs and nothing of its users. */
export function systemView(): readonly string[] {
  return [
    ...PROGRAM_FOLDERS.flatMap(shown),
    ...SETTINGS.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...['--proc', '/proc', '--dev', '/dev'],
  ]
}

export function inSystemView(path: string): boolean {
  return PROGRAM_FOLDERS.some((folder) => path === folder || path.startsWith(`${folder}/`))
}

function shown(folder: string): string[] {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (!found) return []
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(folder), folder] : ['--ro-bind', folder, folder]
}
