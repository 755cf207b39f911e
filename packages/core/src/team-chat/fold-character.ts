/** A letter or digit that is like none of a header's. */
export const FOREIGN = '?'

/**
 * What a character counts as when a header is looked for: look-alikes, capitals, accents and styles become one plain
 * letter, `m` and `rn` the same two. A capital is a sign that may be this letter or only stand between letters; `_` is a
 * letter that is left out on both sides; `[`, `]` and `=` are themselves. Empty for what is no letter or is not seen.
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

/** Of the basic plane only, so that no text can make it grow without end. */
const KNOWN = new Map<number, string>()

function foldRare(codePoint: number): string {
  const boxed = boxedLetter(codePoint)
  if (boxed !== null) return ASCII[boxed]!
  return Array.from(String.fromCodePoint(codePoint).normalize('NFKD').toLowerCase(), foldPlain).join('')
}

/** A letter of the tag block: nobody sees it, and a model may read it all the same. */
export function tagLetter(codePoint: number): number | null {
  return codePoint >= 0xe0020 && codePoint <= 0xe007e ? codePoint - 0xe0000 : null
}

// i, l and o are left out of the comparison: their look-alikes are also the bars and bullets that separate words.
const LEFT_OUT =
  'il1o0ıŀłɨƚǉȴɪɫɬɭʟᴉᴌᵎᶅᶖᶤᶦᶧᶩᶪᶫⱡꝉꞁꞎꟷꬷꬸꬹꭝꭞіӏιɩյⲓⵏⵑꓲꓡǀᛁᎥꭵլ' +
  'øɔɵǿᴏᴐᴑᴒᴓᵓᶗᶱⱺꝋꝍꬽꬾꬿоөѳοσθօⲟოꓳଠഠဝ၀०০੦૦௦౦೦൦๐໐〇߀\u05df\u05d5\u0627\u05e1\u0647\u0665\u06f5\u{1042c}\u{104ea}'

/** Lower case only, and nothing that Unicode itself takes apart. */
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

/** No letters, and so they may as well only separate some. */
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

/** Letters in circles, squares and flags, which Unicode does not take apart. */
function boxedLetter(codePoint: number): number | null {
  for (const first of [0x1f150, 0x1f170, 0x1f1e6])
    if (codePoint >= first && codePoint < first + 26) return codePoint - first + 'a'.charCodeAt(0)
  return null
}

/** The bulk of long texts in these scripts, none of it like a letter. */
function isIdeograph(codePoint: number): boolean {
  return (codePoint >= 0x3400 && codePoint < 0xa490) || (codePoint >= 0xac00 && codePoint < 0xd7a4)
}
