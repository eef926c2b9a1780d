(ns tn-compactor.core
  "Compacts the transcript of an LLM agent: over a token budget, its older part gives way to a summary that the host writes.

  A transcript is a sequence of messages, oldest first; a message is a map in the shape that its API has, keyed by keywords
  or by strings. The library says where it may be cut. What is kept are the host's own messages, the very same objects.

  Every function may be called from any thread, also at once, and holds nothing that must be closed. A failure is an ex-info
  whose message names the place, what was found and what is allowed; :tn-compactor/status in its data is the kind: :options,
  :json, :transcript, :utf8, :callback, …, as the library's codes are called, and :not-loaded where the library is not to be
  had. What a function of the host throws comes out as itself."
  (:require [clojure.data.json :as json]
            [clojure.string :as str]
            [tn-compactor.native :as native])
  (:import (java.nio.charset StandardCharsets)
           (java.util Map)))

(set! *warn-on-reflection* true)

(defn- failed [status & message]
  (ex-info (apply str message) {:tn-compactor/status status}))

;; Text

(defn- lone-surrogate
  "The index of the first half of a surrogate pair that stands alone, which UTF-8 cannot say; nil where there is none."
  [^String text]
  (let [length (.length text)]
    (loop [i 0]
      (when (< i length)
        (let [unit (.charAt text i)]
          (cond
            (not (Character/isSurrogate unit))
            (recur (inc i))

            (and (Character/isHighSurrogate unit)
                 (< (inc i) length)
                 (Character/isLowSurrogate (.charAt text (inc i))))
            (recur (+ i 2))

            :else i))))))

(defn- utf8 ^bytes [^String text]
  (.getBytes text StandardCharsets/UTF_8))

(defn- escape-lone-surrogates
  "The same JSON text: what can only stand inside a string is written as the escape that means it."
  [text]
  (if (lone-surrogate text)
    (str/replace text #"[\ud800-\udfff]" #(format "\\u%04x" (int (first %))))
    text))

(defn- json-utf8
  "JSON text, a string or UTF-8 already, as UTF-8."
  ^bytes [json]
  (cond
    (bytes? json)                 json
    (instance? CharSequence json) (utf8 (escape-lone-surrogates (str json)))
    :else                         (throw (failed :json "JSON text: a string or bytes are wanted, found " (pr-str json)))))

(defn- write-json
  "The messages as JSON text. data.json writes to any Appendable, and a StringBuilder, unlike its StringWriter, takes no lock;
  escapes would only make the text longer, and make no difference to the estimate."
  [messages]
  (let [text (StringBuilder.)]
    (json/write messages text :escape-unicode false :escape-js-separators false :escape-slash false)
    (str text)))

(defn- messages-utf8 ^bytes [options messages]
  (json-utf8 ((:write-json options) messages)))

;; Options

(def ^:private defaults
  {:char-unit :utf16, :summary-role :system, :write-json write-json})

(def ^:private host-functions
  "The options that the library has no part in."
  [:summarize :count-tokens :write-json])

(defn- kebab-case [key]
  (keyword (str/replace (str (symbol key)) "_" "-")))

(defn- snake-case [key]
  (str/replace (str (symbol key)) "-" "_"))

(defn- with-defaults
  "The host's options, where nil is as good as absent."
  [options]
  (into defaults
        (for [[key value] options :when (some? value)]
          [(kebab-case key) value])))

(defn- library-options
  "The options for the library: all that are not this namespace's own, so that the library can refuse a misspelt one."
  ^bytes [options]
  (utf8 (json/write-str (apply dissoc options host-functions)
                        :key-fn snake-case
                        :value-fn (fn [_ value] (if (keyword? value) (snake-case value) value))
                        :default-write-fn (fn [value ^Appendable out _] (.append out (json/write-str (str value)))))))

(defn- check-functions [options]
  (doseq [key host-functions
          :when (contains? options key)]
    (when-not (ifn? (key options))
      (throw (failed :options "option " key ": found " (pr-str (key options)) ", allowed: a function")))))

(defn- compactor-options
  "The options of a compactor, with its options for the library beside them; all that is wrong with them is found here."
  [options]
  (let [options (with-defaults options)
        library (library-options options)]
    (check-functions options)
    (when-not (:summarize options)
      (throw (failed :options "option :summarize: missing, allowed: a function")))
    (native/check-options library)
    (assoc options ::library library)))

;; The host's functions

(defn- whole-tokens
  "A count as the library takes it. A host may well divide by four: what is not whole is rounded up."
  [tokens]
  (let [whole (cond
                (integer? tokens)                                     tokens
                (and (number? tokens) (<= 0 tokens) (< tokens ##Inf)) (bigint (Math/ceil (double tokens))))]
    (if (and whole (<= 0 whole 18446744073709551615N))
      whole
      (throw (failed :callback "count-tokens: found " (pr-str tokens) ", allowed: a number from 0 to 18446744073709551615")))))

(defn- summary-text [summary]
  (if (instance? CharSequence summary)
    (str summary)
    (throw (failed :callback "summarize: found " (pr-str summary) ", allowed: a string"))))

(defn- make-plan
  "The native plan for a vector of messages, to be closed."
  ^java.io.Closeable [{:keys [count-tokens] :as options} library-options messages]
  (native/plan library-options
               (messages-utf8 options messages)
               (when count-tokens
                 (fn [_ first count]
                   (whole-tokens (count-tokens (subvec messages first (+ first count))))))))

;; Compacting

(defn- message-like
  "A message keyed as that one is, by strings or by keywords."
  [message role content]
  (if (and (instance? Map message) (string? (first (keys message))))
    {"role" role, "content" content}
    {:role role, :content content}))

(defn- compacted
  "The messages with the older ones summarized, nil where nothing is to change."
  [{:keys [summarize summary-role flush-to-memory] :as options} messages]
  (with-open [plan (make-plan options (::library options) messages)]
    (let [{:keys [outcome head-end request tail-start]} (native/figures plan)]
      (when (= :compact outcome)
        (let [summary (summary-text (summarize (subvec messages head-end tail-start)))
              message (partial message-like (first messages) (name summary-role))]
          ;; Only for the library's judgement of the summary: the text that it makes is not needed.
          (native/finish plan (utf8 summary))
          (-> (into [] (subvec messages 0 head-end))
              (conj (message (str @native/summary-prefix summary)))
              (cond-> flush-to-memory (conj (message @native/flush-reminder)))
              (cond-> request (into (apply subvec messages request)))
              (into (subvec messages tail-start))))))))

(defn compactor
  "A hook to call before the model is called: (fn [event]), where (:messages event) is the transcript. It gives
  {:messages [...]}, a vector with the compacted transcript, or nil where nothing is to change. Options:

    :max-tokens       compact only when the transcript counts more. Required
    :summarize        (fn [older]): the summary of these messages, a string that is not blank. Required
    :keep-tail        token budget of the kept tail. Default: half of :max-tokens
    :count-tokens     (fn [messages]): counts, in place of the estimate; must not shrink when messages are added
    :flush-to-memory  true: add a reminder after the summary, to save to memory what is worth keeping. Default: false
    :char-unit        what one character is for the estimate: :utf16 (default), :code-point or :utf8
    :split            where the tail may start: :steps (default), so that a turn too long alone is cut between its steps,
                      or :turns
    :summary-role     role of the summary message and the reminder: :system (default), :developer, :user or :assistant
    :write-json       (fn [messages]): the messages as JSON text, a string or UTF-8 bytes. Default: by data.json

  Throws if there is an option that is none of these, or a value that is not allowed. The functions are called on the thread
  that calls the hook, before it returns, :summarize at most once; they may block, and may call anything here."
  [options]
  (let [options (compactor-options options)]
    (fn hook [event]
      (when-let [messages (compacted options (vec (:messages event)))]
        {:messages messages}))))

(defn plan
  "What would become of these messages, as a map. Takes the options of `compactor`; :summarize is not called and may be absent.

    :outcome      :compact, or why nothing would change. :under-budget: no more than :max-tokens. Or over it, but
                  :nothing-older: nothing before the tail could be summarized; :nothing-new: only an earlier summary;
                  :call-in-flight: a tool call waits for its result, and there is no other place to cut. :unknown: an
                  outcome newer than this namespace
    :head-end     index after the leading instructions
    :tail-start   index of the tail; the messages between the two are to be summarized
    :request      [start end] of the request that is kept before the tail, end excluded; nil where none is
    :tokens       of all messages
    :tail-tokens  of the tail"
  [options messages]
  (let [options (with-defaults options)]
    (check-functions options)
    (with-open [plan (make-plan options (library-options options) (vec messages))]
      (native/figures plan))))

(defn json-compactor
  "A compactor of JSON text: (fn [text]), where text is the transcript, a string or UTF-8 bytes. It gives the compacted one, a
  string in which every kept message stands as it stood, or nil where nothing is to change.

  Takes the options of `compactor`, but calls :summarize and :count-tokens with the messages as JSON text, a string."
  [options]
  (let [{::keys [library] :keys [summarize count-tokens]} (compactor-options options)]
    (fn compact [text]
      (native/compact library
                      (json-utf8 text)
                      (fn [older _ _]
                        (let [summary (summary-text (summarize @older))]
                          (when-let [index (lone-surrogate summary)]
                            (throw (failed :utf8 "summarize: found half of a surrogate pair at index " index
                                           ", allowed: text that UTF-8 can say")))
                          (utf8 summary)))
                      (when count-tokens
                        (fn [messages _ _]
                          (whole-tokens (count-tokens @messages))))))))

;; The estimate, and what the library says of itself

(def ^:private char-units
  {:code-point 0, "code_point" 0, :utf16 1, "utf16" 1, :utf8 2, "utf8" 2})

(defn estimate-tokens
  "Estimates the tokens of these messages: a quarter of the characters of each in compact JSON, rounded up. Of the options of
  `compactor` it takes :char-unit and :write-json."
  ([messages] (estimate-tokens messages nil))
  ([messages options]
   (let [{:keys [char-unit] :as options} (with-defaults options)
         unit                            (char-units char-unit)]
     (check-functions options)
     (when-not unit
       (throw (failed :options "option :char-unit: found " (pr-str char-unit) ", allowed: :code-point, :utf16, :utf8")))
     (native/estimate (messages-utf8 options (vec messages)) unit))))

(defn summary-prefix
  "What the text of every summary message begins with."
  []
  @native/summary-prefix)

(defn flush-reminder
  "The text of the reminder that :flush-to-memory adds."
  []
  @native/flush-reminder)

(defn version
  "The version of the library that is loaded."
  []
  (native/version))
