/** A letter or digit that resembles no letter of a header. */
export const FOREIGN = '?'

/**
 * The form of a character in the search for headers. Look-alikes, capitals, accents and styles become one plain letter,
 * and `m` becomes `rn`. A capital in the result stands for a sign that may be this letter or a separator. `_` is a
 * letter that the search ignores. `[`, `]` and `=` stay. Empty for invisible characters and other signs.
 */
export function foldCharacter(codePoint: number): string {
  if (codePoint < 128) return ASCII[codePoint]!
  if (isIdeograph(codePoint)) return FOREIGN
  if (codePoint > 0xffff) return foldRare(codePoint)
  const known = KNOWN.get(codePoint)
  if (known !== undefined) return known
  const folded = foldRare(codePoint)
  KNOWN.set(codePoint, folded)
  return folded
}

/** Contains only the basic plane, so that no text can make it grow without limit. */
const KNOWN = new Map<number, string>()

function foldRare(codePoint: number): string {
  const boxed = boxedLetter(codePoint)
  if (boxed !== null) return ASCII[boxed]!
  return Array.from(String.fromCodePoint(codePoint).normalize('NFKD').toLowerCase(), foldPlain).join('')
}

/** A letter of the tag block: invisible to people, but readable for a model. */
export function tagLetter(codePoint: number): number | null {
  return codePoint >= 0xe0020 && codePoint <= 0xe007e ? codePoint - 0xe0000 : null
}

// i, l and o are ignored: their look-alikes include the bars and bullets that separate words.
const LEFT_OUT =
  'il1o0ıŀłɨƚǉȴɪɫɬɭʟᴉᴌᵎᶅᶖᶤᶦᶧᶩᶪᶫⱡꝉꞁꞎꟷꬷꬸꬹꭝꭞіӏιɩյⲓⵏⵑꓲꓡǀᛁᎥꭵլ' +
  'øɔɵǿᴏᴐᴑᴒᴓᵓᶗᶱⱺꝋꝍꬽꬾꬿоөѳοσθօⲟოꓳଠഠဝ၀०০੦૦௦౦೦൦๐໐〇߀\u05df\u05d5\u0627\u05e1\u0647\u0665\u06f5\u{1042c}\u{104ea}'

/** Lower case only, without characters that Unicode decomposes. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: '4ⱥɐᴀᵄᶏẚаαɑλꓮꭺⲁᗅ',
  d: 'đɗƌȡɖᴅᵭᶁᶑꝺꟈԁꓓꭰꮷժ',
  e: '3ǝəɛɇɘɜɝɞʚᴇᴈᵋᵌᶒᶓᶔᶟⱸⱻꬲꬳꬴеєэҽҿεϵեⲉꓰꭼ',
  f: 'ƒᵮᶂꜰꝼꞙꟻϝꓝք',
  g: '9qɠǥɡɢʛᵷᵹᶃᶢꝿꞡꟑꬶցԍƍꓖꮐɋʠꝗꝙꞯԛգզ',
  k: 'ƙʞᴋᶄⱪꝁꝃꝅꞣкҝқӄκĸꓗⲕꮶ',
  m: 'ɯɰɱᴍᴟᵚᵯᶆᶬᶭꟺꟽꟿꬺмμϻꓟꮇⲙᛖ',
  n: 'ɲƞȵɳɴŋᴎᵰᶇᶮᶯᶰꞑꞥꬻпиηνոռⲛꓠᑎ',
  r: 'ɍɹɺɻɼɽɾɿʀʁʴʵʶᴙᴚᵲᵳᶉⱹꞃꞧꭅꭆꭉꭋꭌꭨгяրꓣꭱꮢⲅᚱᖇ',
  s: '5ȿʂᵴᶊᶳẜẝꜱꞅꞩꟊѕտςƨꙅꓢꮥꮪ\u{10448}',
  t: '7ŧƫƭʈȶⱦʇᴛᵵᶵꞇтҭτⲧꓔꭲշ',
  u: 'ᴜᴝᵙᶙᶸꞹꭎꭒꭟυսʋꓴᑌ',
}

/** Signs that resemble letters, but may also separate them. */
const LETTER_SIGNS: Readonly<Record<string, string>> = { A: '@⍺∀', E: '€℮∈∊⋿', N: '∩⋂', S: '$§', T: '†‡⊤⟙', U: '∪' }

const SIGNS: Readonly<Record<string, string>> = {
  '[': '⁅【〔〖〘〚⟦⟬⦋⦍⦏⦗❲⌈⌊⎡⎢⎣⸢⸤「『﴾',
  ']': '⁆】〕〗〙〛⟧⟭⦌⦎⦐⦘❳⌉⌋⎤⎥⎦⸣⸥」』﴿',
  '=': '꞊═⹀᐀゠〓≡≈≃≅',
}

const FOLDED: ReadonlyMap<string, string> = new Map([
  ...each('_', LEFT_OUT),
  ...Object.entries(LOOK_ALIKES).flatMap(([letter, likes]) => each(letter === 'm' ? 'rn' : letter, letter + likes)),
  ...Object.entries(LETTER_SIGNS).flatMap(([letter, likes]) => each(letter, likes)),
  ...Object.entries(SIGNS).flatMap(([sign, likes]) => each(sign, sign + likes)),
])

function each(folded: string, characters: string): (readonly [string, string])[] {
  return Array.from(characters, (character) => [character, folded] as const)
}

const ASCII: readonly string[] = Array.from({ length: 128 }, (_, code) =>
  foldPlain(String.fromCharCode(code).toLowerCase()),
)

function foldPlain(character: string): string {
  const folded = FOLDED.get(character)
  if (folded !== undefined) return folded
  return /^[\p{L}\p{N}]$/u.test(character) && !/^\p{Default_Ignorable_Code_Point}$/u.test(character) ? FOREIGN : ''
}

/** Letters in circles, squares and flags, which Unicode does not decompose. */
function boxedLetter(codePoint: number): number | null {
  for (const first of [0x1f150, 0x1f170, 0x1f1e6])
    if (codePoint >= first && codePoint < first + 26) return codePoint - first + 'a'.charCodeAt(0)
  return null
}

/** Most characters of long texts in these scripts; none resembles a letter. */
function isIdeograph(codePoint: number): boolean {
  return (codePoint >= 0x3400 && codePoint < 0xa490) || (codePoint >= 0xac00 && codePoint < 0xd7a4)
}
