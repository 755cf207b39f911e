import { stemsOf } from './word-stem.ts'

/** English words for what a tool does, as stems. A word that is in no set says nothing about the effect. */
const stems = (text: string): ReadonlySet<string> => new Set(stemsOf(text))

export const READ_WORDS = stems(`get list read search find view show look lookup fetch query describe count calculate
  compute compare summarize summarise retrieve return display inspect browse visit open crawl scrape load preview check
  see analyze analyse explain tell whoami status diff grep glob head tail history filter sort rank translate detect
  measure estimate convert parse recommend suggest monitor watch peek scan resolve navigate access obtain provide`)

export const SEND_WORDS = stems(`send email mail message reply respond forward share post publish tweet comment notify
  submit invite broadcast announce contact text chat dm upload push input fill inform alert react mention call dial fax
  print export sync deliver dispatch sent wrote answer ask`)

export const PAY_WORDS =
  stems(`pay transfer buy purchase checkout order donate tip withdraw deposit invest subscribe bid
  refund charge wire remit trade sell paid bought rebuy reorder spend settle reimburse payment bill fee topup sold
  spent cost rent`)

export const DESTROY_WORDS = stems(`delete remove clear erase cancel drop destroy purge wipe revoke uninstall terminate
  kill reset truncate unsubscribe discard trash empty dismiss ban block kick leave detach unlink deactivate
  disable rm del clean undo`)

export const CHANGE_WORDS = stems(`create add make new update set edit change modify move rename copy save write append
  insert schedule reschedule reserve register download install login logout sign enable assign grant fork merge commit
  clone run execute start stop mark join follow approve reject accept decline complete finish mkdir touch replace apply
  close import attach switch toggle rotate generate configure connect mount deploy restart trigger perform click select put
  store convert archive restore rebase lock unlock verify confirm validate authenticate authorize`)

/** Words that turn a change or a message into a payment. */
export const MONEY_WORDS = stems('money payment fund cash transaction bank currency coin crypto')

/** Words of a tool that completes what another call began. */
export const CONFIRM_WORDS = stems('verify confirm validate authenticate')

/** Verbs that are nouns just as often: `message_list` reads. */
export const NOUN_OR_VERB = stems(`email mail message post comment text chat share order transfer trade bid tip bill fee
  payment fork call mention reply answer alert invite sign run change update history status cost rent purchase import
  export copy print input archive block`)

/** Words that belong together: a request that uses one of them covers a tool that is named after another. */
const KINDRED: readonly ReadonlySet<string>[] = [
  stems(`calendar event meeting appointment schedule reschedule reminder plan call session`),
  stems(`book reserve reservation booking table room flight hotel restaurant ticket trip travel car rental`),
  stems(`download save store file document folder directory create write copy attachment append upload export backup dir put
    pdf image picture photo report letter invoice receipt spreadsheet`),
  stems(`move rename copy organize organise sort`),
  stems(`fix implement build refactor develop debug program code test write edit patch run exec execute command shell`),
  stems(`update change edit modify set fix correct adjust replace reset rotate raise increase decrease`),
  stems(`cart basket buy purchase order checkout rebuy shop bought reorder product`),
  stems(
    `invite member collaborator participant attendee add join team group channel share access permission role user`,
  ),
  stems(`repository repo git commit branch merge fork clone star issue pull push request release code readme`),
  stems(`register signup subscribe join enroll enrol`),
  stems(`login signin password credential`),
  stems(`download fetch get read see view check find look visit open summarize summarise attachment`),
  stems(`refund return`),
  stems(`label tag mark star pin flag`),
]

export function areKindred(one: string, other: string): boolean {
  return one === other || KINDRED.some((words) => words.has(one) && words.has(other))
}

/** Words that name no particular thing: function words, words for time and words of every computer. */
const PLAIN_WORDS = stems(`
  a an the and or but if then else so because while as of at by for from in into on onto to with without about above
  below over under between through during before after again once up down out off i me my mine myself we us our ours
  you your yours he him his she her hers it its they them their theirs this that these those who whom whose which what
  when where why how all any both each every few more most other others some such no nor not only own same than too
  very can could will would shall should may might must do does did done doing have has had having be am is are was
  were been being there here please thanks thank hi hello dear hey ok yes just also still yet now today tomorrow
  yesterday tonight day week month year hour minute time date last next first second third current recent new old
  previous earlier later soon ago morning afternoon evening night monday tuesday wednesday thursday friday saturday
  sunday january february march april june july august september october november december one two three four five six
  seven eight nine ten many much lot several another different everything anything something nothing everyone anyone
  someone thing item data info information detail details name number value id code link url website site web webpage
  page www http https com org net edu io html htm file folder directory path account email mail inbox message text
  content attachment user username password login address phone system tool task job work request instruction
  instructions help need want like love try use using used let know remember sure able go going went come take give
  bring keep help seem seems look looks available able include including included instead except per via however
  therefore well good better best bad great nice really quite lower higher low high than enough rest remain remaining
  total amount sum average above below maximum minimum max min most least don doesn didn isn aren wasn won ve re ll im
  ive id hasn haven couldn wouldn shouldn price dollar usd eur`)

/** Words for an effect that a person also uses for a thing. */
const THING_WORDS = stems('rent bill fee tip')

export function isPlainWord(word: string): boolean {
  if (THING_WORDS.has(word)) return false
  return (
    word.length < 3 ||
    PLAIN_WORDS.has(word) ||
    [READ_WORDS, SEND_WORDS, PAY_WORDS, DESTROY_WORDS, CHANGE_WORDS].some((words) => words.has(word))
  )
}
