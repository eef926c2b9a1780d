(ns ^:no-doc tn-compactor.native
  "The C interface of libtn_compactor through JNA, and the only place that knows of pointers.

  Nothing native outlives a call, save a plan while it is being finished: there is nothing to close for a host, and no
  finalizer that frees at the wrong time. That a compactor is made anew for each call costs microseconds.

  Text crosses as UTF-8 bytes with a length, never as a Java string, which JNA would encode as the platform does."
  (:require [clojure.string :as str])
  (:import (com.sun.jna CallbackProxy CallbackReference Memory Native NativeLibrary Pointer)
           (java.io Closeable)
           (java.nio.charset StandardCharsets)
           (java.util.concurrent ConcurrentHashMap)
           (java.util.concurrent.atomic AtomicLong)))

(set! *warn-on-reflection* true)

(def ^:private abi-version
  "TN_ABI_VERSION of the header that this namespace was written against."
  0)

(defn- failed [status & message]
  (ex-info (apply str message) {:tn-compactor/status status}))

;; Calling

(def ^:private library
  (delay
    (let [^NativeLibrary library
          (try
            (NativeLibrary/getInstance "tn_compactor")
            (catch UnsatisfiedLinkError e
              ;; Without the error as its cause, which is all that clojure.main would show.
              (throw (failed :not-loaded "libtn_compactor cannot be loaded, -Djna.library.path=FOLDER says where it is: "
                             (ex-message e)))))
          found (.invokeInt (.getFunction library "tn_abi_version") (object-array 0))]
      (when-not (= abi-version found)
        (throw (failed :not-loaded "libtn_compactor speaks version " found " of its interface, expected " abi-version)))
      library)))

(defn- invoke [^Class return-type ^String function & arguments]
  (.invoke (.getFunction ^NativeLibrary @library function) return-type (object-array arguments)))

;; Functions, since to ask JNA is to load its native part, which to load a namespace must not.
(defn- size-type ^Class []
  (if (= 8 Native/SIZE_T_SIZE) Long/TYPE Integer/TYPE))

(defn- size-t [n]
  (if (= 8 Native/SIZE_T_SIZE) (Long/valueOf (long n)) (Integer/valueOf (int n))))

(defn- unsigned
  "A uint64_t, which JNA hands over as a signed long."
  [^long n]
  (if (neg? n) (bigint (Long/toUnsignedString n)) n))

(defn- constant [function & arguments]
  (.getString ^Pointer (apply invoke Pointer function arguments) 0 "UTF-8"))

(defn- status-keyword
  "TN_ERR_JSON as :json."
  [status]
  (let [name (constant "tn_status_name" (int status))]
    (-> name (str/replace #"^TN_(ERR_)?" "") (str/replace "_" "-") str/lower-case keyword)))

;; Text

(deftype Text [^Memory memory length]
  Closeable
  (close [_] (some-> memory .close)))

(defn- text
  "The bytes in native memory: the one copy that crossing costs. The empty text is NULL with length 0."
  ^Text [^bytes utf8]
  (let [length (alength utf8)]
    (Text. (when (pos? length)
             (doto (Memory. length) (.write 0 utf8 0 length)))
           (size-t length))))

(defn- text-at [^Pointer pointer length]
  (String. (.getByteArray pointer 0 (int length)) StandardCharsets/UTF_8))

(defn- take-text
  "A text that the library handed over, as a string; nil for NULL."
  [^Pointer pointer]
  (when pointer
    (try
      (.getString pointer 0 "UTF-8")
      (finally (invoke Void/TYPE "tn_string_free" pointer)))))

;; Callbacks
;;
;; JNA keeps a CallbackProxy for ever, so there is one of each kind, and whom it is to call is found by the number that the
;; library passes through as user data. JNA takes a callback that throws for one that has answered. So nothing is thrown
;; through the library: it is told that the callback failed, and its caller throws what was thrown.

(def ^:private ^ConcurrentHashMap calls (ConcurrentHashMap.))

(def ^:private ^AtomicLong numbers (AtomicLong.))

(deftype Call [number functions thrown]
  Closeable
  (close [_] (.remove calls number)))

(defn- call
  "A call of the library, during which it may call these functions of the host, by kind."
  ^Call [functions]
  (let [number (.incrementAndGet numbers)
        call   (Call. number functions (volatile! nil))]
    (.put calls number call)
    call))

(defn- user-data [^Call call]
  (Pointer. (.-number call)))

(defn- c-function
  "The C function for the host's functions of one kind: calls the host's, and gives what it answers to `set-answer`. Both the
  proxy and its pointer, since the one lives as long as the other is held."
  [kind set-answer]
  (let [parameters (into-array Class [Pointer Pointer (size-type) (size-type) (size-type) Pointer])
        proxy      (reify CallbackProxy
                     (getParameterTypes [_] parameters)
                     (getReturnType [_] Void/TYPE)
                     (callback [_ arguments]
                       (let [[user-data json json-length first count sink] arguments
                             ^Call call (.get calls (Pointer/nativeValue user-data))
                             host       (get (.-functions call) kind)]
                         (try
                           (set-answer sink (host (delay (text-at json json-length)) (long first) (long count)))
                           (catch Throwable thrown
                             (vreset! (.-thrown call) thrown)
                             (invoke Integer/TYPE "tn_sink_set_error" sink nil (size-t 0))))
                         nil)))]
    {:proxy   proxy
     :pointer (CallbackReference/getFunctionPointer proxy)}))

(def ^:private c-functions
  (delay
    {:summarize    (c-function :summarize
                               (fn [sink ^bytes summary]
                                 (with-open [summary (text summary)]
                                   (invoke Integer/TYPE "tn_sink_set_text" sink (.-memory summary) (.-length summary)))))
     :count-tokens (c-function :count-tokens
                               (fn [sink tokens]
                                 (invoke Integer/TYPE "tn_sink_set_count" sink (.longValue ^Number tokens))))}))

(defn- callback
  "The C function for the host's function of that kind, NULL where the call has none."
  [^Call call kind]
  (when (get (.-functions call) kind)
    (get-in @c-functions [kind :pointer])))

;; Answers

(def ^:private slot 8)

(defn- answer
  "What a function that ends in (…, answer *, char **error) answers, as `read` finds it. Where it fails, throws what the
  host's function threw, or else the error."
  [read ^Call call function & arguments]
  (with-open [memory (doto (Memory. (* 2 slot)) .clear)]
    (let [error  (.share memory slot)
          status (apply invoke Integer/TYPE function (concat arguments [memory error]))]
      (if (neg? status)
        (let [message (take-text (.getPointer error 0))]
          (throw (or (some-> call .-thrown deref)
                     (failed (status-keyword status) (or message "out of memory")))))
        (read memory)))))

(defn- pointer [^Memory memory] (.getPointer memory 0))

(defn- number [^Memory memory] (unsigned (.getLong memory 0)))

(deftype Owned [^Pointer pointer free]
  Closeable
  (close [_] (invoke Void/TYPE free pointer)))

;; What core calls

(defn- compactor ^Owned [^bytes options]
  (with-open [options (text options)]
    (Owned. (answer pointer nil "tn_compactor_new" (.-memory options) (.-length options)) "tn_compactor_free")))

(defn check-options
  "Throws if the library does not take these options, a JSON text as UTF-8."
  [^bytes options]
  (.close (compactor options)))

(defn plan
  "A plan for the transcript, to be closed. `count-tokens`, which may be nil, is called with a delay of the JSON text, the
  index of the first message and the number of messages, and answers an integer from 0 to 2^64 - 1."
  ^Closeable [^bytes options ^bytes messages count-tokens]
  (with-open [compactor (compactor options)
              messages  (text messages)
              call      (call {:count-tokens count-tokens})]
    (Owned. (answer pointer call "tn_plan_new"
                    (.-pointer compactor) (.-memory messages) (.-length messages)
                    (callback call :count-tokens) (user-data call))
            "tn_plan_free")))

(def ^:private outcomes
  {0 :compact, 1 :under-budget, 2 :nothing-older, 3 :nothing-new, 4 :call-in-flight})

(defn figures
  "What a plan says, as a map."
  [^Owned plan]
  (let [index  #(long (invoke (size-type) % (.-pointer plan)))
        tokens #(unsigned (invoke Long/TYPE % (.-pointer plan)))
        start  (index "tn_plan_request_start")
        end    (index "tn_plan_request_end")]
    {:outcome     (outcomes (invoke Integer/TYPE "tn_plan_outcome" (.-pointer plan)) :unknown)
     :head-end    (index "tn_plan_head_end")
     :request     (when (< start end) [start end])
     :tail-start  (index "tn_plan_tail_start")
     :tokens      (tokens "tn_plan_tokens")
     :tail-tokens (tokens "tn_plan_tail_tokens")}))

(defn finish
  "The new transcript as JSON text, nil where the plan changes nothing. Throws if the summary is none."
  [^Owned plan ^bytes summary]
  (with-open [summary (text summary)]
    (take-text (answer pointer nil "tn_plan_finish" (.-pointer plan) (.-memory summary) (.-length summary)))))

(defn compact
  "Compacts a transcript in one call: the new one as JSON text, nil where nothing changes. `summarize` is called as
  `count-tokens` is, and answers the summary as UTF-8."
  [^bytes options ^bytes messages summarize count-tokens]
  (with-open [compactor (compactor options)
              messages  (text messages)
              call      (call {:summarize summarize, :count-tokens count-tokens})]
    (take-text (answer pointer call "tn_compactor_apply"
                       (.-pointer compactor) (.-memory messages) (.-length messages)
                       (callback call :summarize) (callback call :count-tokens) (user-data call)))))

(defn estimate
  "The estimate for a transcript, where `unit` is a tn_char_unit."
  [^bytes messages unit]
  (with-open [messages (text messages)]
    (answer number nil "tn_estimate_tokens" (.-memory messages) (.-length messages) (int unit))))

(def summary-prefix (delay (constant "tn_summary_prefix")))

(def flush-reminder (delay (constant "tn_flush_reminder")))

(defn version [] (constant "tn_version"))
