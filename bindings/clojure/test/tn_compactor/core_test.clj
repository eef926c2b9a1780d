(ns tn-compactor.core-test
  (:require [clojure.data.json :as json]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [tn-compactor.core :as tn])
  (:import (java.nio.charset Charset StandardCharsets)
           (java.util ArrayList HashMap)))

(def long-text (apply str (repeat 40 "Sandy loam suits carrots. ")))

(def conversation
  [{:role "system" :content "You plan garden beds."}
   {:role "user" :content "Which soil suits carrots?"}
   {:role "assistant" :content nil
    :tool_calls [{:id "c1" :type "function" :function {:name "look_up" :arguments "{}"}}]}
   {:role "tool" :tool_call_id "c1" :content long-text}
   {:role "assistant" :content "Sandy loam."}
   {:role "user" :content "And leeks? 韭葱呢 🥬"}
   {:role "assistant" :content "Richer soil."}])

(def options
  {:max-tokens 100, :keep-tail 40, :summarize (fn [older] (str (count older) " messages about soil 🥕"))})

(defn compact
  ([options] (compact options conversation))
  ([options messages] (:messages ((tn/compactor options) {:messages messages}))))

(deftest at-or-under-the-budget-nothing-changes
  (let [asked (atom 0)
        hook  (tn/compactor {:max-tokens (tn/estimate-tokens conversation)
                             :summarize  (fn [_] (swap! asked inc) "never")})]
    (is (nil? (hook {:messages conversation})))
    (is (zero? @asked))
    (is (some? (hook {:messages (conj conversation {:role "user" :content "One more."})})))))

(deftest over-the-budget-the-older-messages-give-way-to-a-summary
  (let [event  {:messages conversation, :tools [], :model "any", :turn 3}
        result ((tn/compactor options) event)]
    (is (= [:messages] (keys result)))
    (is (vector? (:messages result)))
    (is (= [(conversation 0)
            {:role "system" :content "[Summary of earlier conversation]\n4 messages about soil 🥕"}
            (conversation 5)
            (conversation 6)]
           (:messages result)))))

(deftest the-kept-messages-are-the-very-same-objects
  (let [result (compact options)]
    (is (identical? (conversation 0) (result 0)))
    (is (identical? (conversation 5) (result 2)))
    (is (identical? (conversation 6) (result 3)))))

(deftest summarize-gets-the-host's-own-older-messages
  (let [older (atom nil)]
    (compact (assoc options :summarize (fn [messages] (reset! older messages) "short")))
    (is (vector? @older))
    (is (= 4 (count @older)))
    (is (every? true? (map identical? @older (subvec conversation 1 5))))))

(deftest the-reminder-follows-the-summary-if-asked-for
  (let [result (compact (assoc options :flush-to-memory true))]
    (is (= {:role "system" :content (tn/flush-reminder)} (result 2)))
    (is (identical? (conversation 5) (result 3)))
    (is (str/starts-with? (tn/flush-reminder) "Before continuing: if anything from earlier is worth keeping"))
    (is (str/includes? (tn/flush-reminder) " — "))
    (is (= (compact options) (compact (assoc options :flush-to-memory false))))))

(deftest summary-and-reminder-have-the-role-asked-for
  (doseq [role [:developer "developer"]]
    (is (= ["developer" "developer"]
           (map :role (subvec (compact (assoc options :summary-role role, :flush-to-memory true)) 1 3))))))

(deftest a-turn-too-long-alone-is-cut-between-its-steps-and-its-request-kept
  (let [step   (fn [n] [{:role "assistant" :content nil :tool_calls [{:id (str n) :type "function" :function {:name "f" :arguments "{}"}}]}
                        {:role "tool" :tool_call_id (str n) :content (subs long-text 0 200)}])
        run    (into [{:role "system" :content "Dig."} {:role "user" :content "Dig the whole field."}] (mapcat step (range 20)))
        cut    {:max-tokens 600, :keep-tail 200, :summarize (constantly "Dug so far.")}
        plan   (tn/plan cut run)
        result (compact cut run)]
    (is (= [1 2] (:request plan)))
    (is (< 2 (:tail-start plan) (count run)))
    (is (identical? (run 0) (result 0)))
    (is (= "[Summary of earlier conversation]\nDug so far." (:content (result 1))))
    (is (identical? (run 1) (result 2)))
    (is (every? true? (map identical? (subvec run (:tail-start plan)) (subvec result 3))))
    (testing "but by turns it is one piece"
      (is (= (subvec result 0 2) (compact (assoc cut :split :turns) run))))))

(deftest any-sequence-of-messages-will-do
  (let [expected (compact options)]
    (doseq [messages [(list* conversation) (map identity conversation) (ArrayList. ^java.util.Collection conversation)
                      (to-array conversation) (seq conversation) (eduction (map identity) conversation)]]
      (let [result (compact options messages)]
        (is (vector? result) (str (class messages)))
        (is (= expected result))
        (is (identical? (conversation 6) (peek result)))))))

(deftest no-messages-are-under-any-budget
  (let [hook (tn/compactor {:max-tokens 0 :summarize (constantly "none")})]
    (is (nil? (hook {:messages []})))
    (is (nil? (hook {:messages nil})))
    (is (= 0 (tn/estimate-tokens [])))))

(deftest a-transcript-keyed-by-strings-gets-a-summary-keyed-by-strings
  (let [messages (json/read-str (json/write-str conversation))]
    (is (= {"role" "system" "content" "[Summary of earlier conversation]\n4 messages about soil 🥕"}
           ((compact options messages) 1)))
    (testing "also if it is of Java's maps"
      (let [messages (mapv #(HashMap. ^java.util.Map %) messages)
            result   (compact (assoc options :flush-to-memory true) messages)]
        (is (= ["system" (tn/flush-reminder)] ((juxt #(get % "role") #(get % "content")) (result 2))))
        (is (identical? (messages 6) (peek result)))))))

(deftest what-the-host-put-into-a-message-survives
  (let [host   {:role :user
                :content "And leeks?"
                :big 123456789012345678901234567890
                :exact 1.10M
                :ratio 1/3
                :tags #{:a :b}
                :when #inst "2024-02-03T04:05:06Z"
                :who #uuid "00000000-0000-0000-0000-000000000001"
                ::private 'symbol}
        kept   (with-meta host {:origin :host})
        result (compact options (assoc conversation 5 kept))]
    (is (identical? kept (result 2)))
    (is (= {:origin :host} (meta (result 2))))))

(deftype Message [role content])

(deftest messages-of-an-unknown-type-survive-with-a-writer-that-knows-them
  (let [write    (fn [messages]
                   (json/write-str (for [^Message message messages]
                                     {:role (.-role message) :content (.-content message)})))
        messages (mapv (fn [{:keys [role content]}] (Message. role content)) (remove :tool_call_id conversation))
        long     (assoc messages 2 (Message. "assistant" long-text))
        result   (compact (assoc options :write-json write) long)]
    (is (= 4 (count result)))
    (is (= :system (keyword (:role (result 1)))))
    (is (identical? (long 0) (result 0)))
    (is (identical? (peek long) (peek result)))))

(deftest the-writer-may-give-a-string-or-bytes
  (let [text   #(json/write-str % :escape-unicode false)
        bytes  #(.getBytes ^String (text %) StandardCharsets/UTF_8)
        pretty #(json/write-str % :indent true)]
    (doseq [write [text bytes pretty #(StringBuilder. ^String (text %))]]
      (is (= (compact options) (compact (assoc options :write-json write))))
      (is (= (tn/estimate-tokens conversation) (tn/estimate-tokens conversation {:write-json write}))))))

(deftest a-plan-says-where-why-and-how-much
  (is (= {:outcome     :compact
          :head-end    1
          :tail-start  5
          :request     nil
          :tokens      (tn/estimate-tokens conversation)
          :tail-tokens (tn/estimate-tokens (subvec conversation 5))}
         (tn/plan (dissoc options :summarize) conversation)))
  (is (= {:outcome :under-budget, :head-end 1, :tail-start 1, :request nil, :tokens (tn/estimate-tokens conversation), :tail-tokens 0}
         (tn/plan {:max-tokens 100000} conversation)))
  (is (= :nothing-older (:outcome (tn/plan {:max-tokens 0} (subvec conversation 0 2)))))
  (is (= :call-in-flight (:outcome (tn/plan {:max-tokens 0} [(conversation 2)]))))
  (is (= :nothing-new (:outcome (tn/plan {:max-tokens 5} [{:role "system" :content (str (tn/summary-prefix) "earlier")}
                                                         (conversation 5)])))))

(deftest characters-are-utf-16-units-unless-chosen-otherwise
  (let [emoji [{:role "user" :content "🥕🥕🥕🥕🥕🥕🥕🥕"}]
        ;; {"role":"user","content":""} is 28 characters.
        by    (fn [each] (quot (+ 28 (* 8 each) 3) 4))]
    (is (= (by 2) (tn/estimate-tokens emoji)))
    (is (= (by 2) (tn/estimate-tokens emoji {:char-unit :utf16})))
    (is (= (by 1) (tn/estimate-tokens emoji {:char-unit :code-point})))
    (is (= (by 4) (tn/estimate-tokens emoji {:char-unit :utf8})))
    (is (= (by 4) (tn/estimate-tokens emoji {:char-unit "utf8"})))
    (is (= (by 2) (:tokens (tn/plan {:max-tokens 0} emoji))))
    (is (= (by 1) (:tokens (tn/plan {:max-tokens 0 :char-unit :code-point} emoji))))))

(deftest keep-tail-0-is-not-an-absent-keep-tail
  (let [turns   (vec (mapcat (fn [n] [{:role "user" :content (str "Question " n " " (subs long-text 0 100))}
                                      {:role "assistant" :content "Yes."}])
                             (range 10)))
        start   (fn [options] (:tail-start (tn/plan (merge {:max-tokens 200} options) turns)))]
    (is (= 18 (start {:keep-tail 0})))
    (is (< (start {}) 18))
    (is (= (start {}) (start {:keep-tail nil}) (start {:keep-tail 100})))))

(deftest the-host's-count-replaces-the-estimate-everywhere
  (let [counted (atom [])
        count   (fn [messages] (swap! counted conj messages) (* 10 (count messages)))
        plan    (tn/plan {:max-tokens 69, :keep-tail 20, :count-tokens count} conversation)]
    (is (= {:outcome :compact, :tokens 70, :tail-tokens 20} (select-keys plan [:outcome :tokens :tail-tokens])))
    (is (= conversation (first @counted)))
    (is (every? seq @counted))
    (is (every? (fn [slice] (every? (fn [message] (some #(identical? message %) conversation)) slice)) @counted))
    (is (= :under-budget (:outcome (tn/plan {:max-tokens 70, :count-tokens count} conversation))))))

(deftest a-count-that-is-not-whole-is-rounded-up
  (doseq [[tokens whole] [[12 12] [12.0 12] [12.25 13] [49/4 13] [12.25M 13] [12N 12] [(biginteger 12) 12] [(int 12) 12] [0 0]
                          [18446744073709551615N 18446744073709551615N]]]
    (is (= whole (:tokens (tn/plan {:max-tokens 0, :count-tokens (constantly tokens)} conversation))) (pr-str tokens))))

(def ^:dynamic *model* "none")

(deftest the-host's-functions-run-on-the-caller's-thread-with-its-bindings
  (let [seen (atom #{})
        note #(swap! seen conj [% *model* (Thread/currentThread)])]
    (binding [*model* "small"]
      (compact (assoc options
                      :count-tokens (fn [messages] (note :count) (* 100 (count messages)))
                      :summarize (fn [_] (note :summarize) "short"))))
    (is (= #{[:count "small" (Thread/currentThread)] [:summarize "small" (Thread/currentThread)]} @seen))))

(deftest options-may-be-named-as-the-library-names-them
  (is (= (compact (assoc options :flush-to-memory true, :summary-role :user))
         (compact (assoc (select-keys options [:summarize]) "max_tokens" 100, :keep_tail 40, "flush_to_memory" true, :summary_role "user")))))

(deftest text-is-utf-8-whatever-the-platform's-encoding-is
  (is (not= StandardCharsets/UTF_8 (Charset/defaultCharset)) "else this run shows nothing")
  (let [text     "韭葱 🥬 ü \u2028 \u0000"
        messages (assoc conversation 1 {:role "user" :content text})
        result   (compact {:max-tokens 100 :keep-tail 40 :summarize (fn [older] (str (:content (first older)) "🥕"))} messages)]
    (is (= (str "[Summary of earlier conversation]\n" text "🥕") (:content (result 1))))
    (is (= (reduce + (map #(quot (+ 3 (count (json/write-str % :escape-unicode false :escape-slash false :escape-js-separators false))) 4)
                          messages))
           (tn/estimate-tokens messages)))))

(deftest the-library-says-its-version-and-its-texts
  (is (re-matches #"\d+\.\d+\.\d+.*" (tn/version)))
  (is (= "[Summary of earlier conversation]\n" (tn/summary-prefix))))
